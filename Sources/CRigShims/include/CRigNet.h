// Network namespaces, packet sockets and netlink: what Swift's Glibc module cannot express of them. The same rule as in
// CRigShims.h: no logic may live here.
#ifndef CRIGNET_H
#define CRIGNET_H
#include <stdint.h>

// setns and unshare are GNU-only. Both act on the calling thread and what it starts; 0 or an errno.
int rig_unshare_network(void);
int rig_enter_network(int namespace_fd);

// sockaddr_nl and sockaddr_ll are not imported.
// A routing netlink socket in the thread's network namespace, subscribed to the group mask `groups`; -1 on failure.
int rig_netlink_socket(uint32_t groups);
// A non-blocking socket that receives what arrives on the interface, whole Ethernet frames, and sends on it; -1 on
// failure.
int rig_packet_socket(const char *interface);
// Frames that found no room since the last call (struct tpacket_stats); -1 on failure.
int64_t rig_packet_drops(int fd);

// ioctl is variadic. Makes the kernel fill in checksums and cut segments before a frame leaves the interface, which no
// virtual one does by itself; 0 or an errno.
int rig_checksum_in_software(const char *interface);
#endif
