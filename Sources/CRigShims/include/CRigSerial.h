// Serial lines: ioctl is variadic, and any baud rate needs termios2, which glibc hides. The same rule as in
// CRigShims.h: no logic may live here.
#ifndef CRIGSERIAL_H
#define CRIGSERIAL_H
#include <stddef.h>
#include <stdint.h>

// Opens a serial line raw, 8N1, without flow control, without HUPCL, for this process alone, and throws away what had
// been received. It sets no modem line. -1 on failure: EWOULDBLOCK or EBUSY where another process has it, ENOTTY where
// it is no serial line.
int rig_serial_open(const char *path, uint32_t baud);

// glibc shows posix_openpt and its kin with _XOPEN_SOURCE alone. The near end of a new pseudo-terminal, and the path of
// its far end, for tests; -1 on failure.
int rig_pseudo_terminal(char *path, size_t capacity);
#endif
