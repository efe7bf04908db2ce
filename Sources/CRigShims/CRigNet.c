#define _GNU_SOURCE
#include "CRigNet.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int rig_unshare_network(void) { return unshare(CLONE_NEWNET) == 0 ? 0 : errno; }
int rig_enter_network(int namespace_fd) { return setns(namespace_fd, CLONE_NEWNET) == 0 ? 0 : errno; }

int rig_netlink_socket(uint32_t groups) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return -1;
  struct sockaddr_nl own = {.nl_family = AF_NETLINK, .nl_groups = groups};
  if (bind(fd, (struct sockaddr *)&own, sizeof own) == 0) return fd;
  close(fd);
  return -1;
}

int rig_packet_socket(const char *interface) {
  // Protocol 0: nothing arrives before the socket is bound to its one interface.
  int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  int one = 1, room = 4 << 20;
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  struct sockaddr_ll own = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
                            .sll_ifindex = (int)if_nametoindex(interface)};
  if (own.sll_ifindex != 0 && setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) == 0 &&
      bind(fd, (struct sockaddr *)&own, sizeof own) == 0)
    return fd;
  close(fd);
  return -1;
}

int64_t rig_packet_drops(int fd) {
  struct tpacket_stats stats;
  socklen_t size = sizeof stats;
  return getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0 ? (int64_t)stats.tp_drops : -1;
}

int rig_checksum_in_software(const char *interface) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  struct ethtool_value off = {.cmd = ETHTOOL_STXCSUM, .data = 0};
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  request.ifr_data = (char *)&off;
  int rc = ioctl(fd, SIOCETHTOOL, &request) == 0 ? 0 : errno;
  close(fd);
  return rc;
}
