#define _GNU_SOURCE
#include "CRigSerial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int fail(int fd) {
  int code = errno;
  close(fd);
  errno = code;
  return -1;
}

int rig_serial_open(const char *path, uint32_t baud) {
  int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  // TIOCEXCL does not hold off root; the lock does, and is what other tools take.
  struct termios2 line;
  if (ioctl(fd, TCGETS2, &line) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 || ioctl(fd, TIOCEXCL) != 0) return fail(fd);
  line.c_iflag = 0;
  line.c_oflag = 0;
  line.c_lflag = 0;
  // Without HUPCL: closing the line does not drop DTR, which resets many boards.
  line.c_cflag = CS8 | CREAD | CLOCAL | BOTHER;
  line.c_ispeed = baud;
  line.c_ospeed = baud;
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  if (ioctl(fd, TCSETS2, &line) != 0) return fail(fd);
  // What came before is not for us.
  ioctl(fd, TCFLSH, TCIFLUSH);
  return fd;
}

int rig_pseudo_terminal(char *path, size_t capacity) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return -1;
  return grantpt(fd) == 0 && unlockpt(fd) == 0 && ptsname_r(fd, path, capacity) == 0 ? fd : fail(fd);
}
