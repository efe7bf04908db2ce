#define _GNU_SOURCE
#include "CRigShims.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const uint32_t rig_epoll_in = EPOLLIN, rig_epoll_out = EPOLLOUT, rig_epoll_edge = EPOLLET,
               rig_epoll_hangup = EPOLLHUP | EPOLLRDHUP, rig_epoll_error = EPOLLERR;

int rig_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int rig_epoll_add(int ep, int fd, uint32_t events, uint64_t token) {
  struct epoll_event e = {.events = events, .data.u64 = token};
  return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
}

int rig_epoll_remove(int ep, int fd) { return epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL); }

int rig_epoll_wait(int ep, struct rig_epoll_ready *out, int capacity, int64_t ns) {
  struct epoll_event events[64];
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  int n = epoll_pwait2(ep, events, capacity < 64 ? capacity : 64, ns < 0 ? NULL : &t, NULL);
  for (int i = 0; i < n; i++) {
    out[i].token = events[i].data.u64;
    out[i].events = events[i].events;
  }
  return n;
}

int rig_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
void rig_eventfd_signal(int fd) {
  // The counter can only be full when a wake-up is pending already.
  ssize_t n = write(fd, &(uint64_t){1}, 8);
  (void)n;
}
void rig_eventfd_drain(int fd) {
  uint64_t v;
  ssize_t n = read(fd, &v, 8);
  (void)n;
}

int rig_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int rig_signalfd_next(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void rig_unblock_all_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigprocmask(SIG_SETMASK, &set, NULL);
}

int rig_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int rig_socket(int family, int type) { return socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }
int rig_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }
int rig_set_nonblocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}
int rig_pipe(int fds[2]) { return pipe2(fds, O_CLOEXEC); }

int rig_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[], int stdin_fd, int stdout_fd,
              int stderr_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, stdin_fd, 0);
  posix_spawn_file_actions_adddup2(&actions, stdout_fd, 1);
  if (stderr_fd >= 0) posix_spawn_file_actions_adddup2(&actions, stderr_fd, 2);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int rc = posix_spawn(pid, path, &actions, &attributes, argv, envp);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return rc;
}

int rig_spawn_takes_terminal(posix_spawn_file_actions_t *actions, int terminal) {
  return posix_spawn_file_actions_addtcsetpgrp_np(actions, terminal);
}

int rig_wait_status(pid_t pid, int *exit_code, int *signal_number, int block) {
  int status = 0;
  pid_t r;
  do r = waitpid(pid, &status, block ? 0 : WNOHANG);
  while (r < 0 && errno == EINTR);
  if (r != pid) return 0;
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return 1;
}

static int put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  ssize_t n = write(fd, text, strlen(text));
  int rc = n < 0 ? errno : 0;
  close(fd);
  return rc;
}

int rig_private_network(uid_t uid, gid_t gid) {
  char line[64];
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return errno;
  int rc = put("/proc/self/setgroups", "deny");
  if (rc != 0) return rc;
  snprintf(line, sizeof line, "0 %u 1", (unsigned)uid);
  if ((rc = put("/proc/self/uid_map", line)) != 0) return rc;
  snprintf(line, sizeof line, "0 %u 1", (unsigned)gid);
  return put("/proc/self/gid_map", line);
}

int64_t rig_wall_clock_error(void) {
  struct timex state;
  memset(&state, 0, sizeof state);
  return adjtimex(&state) == TIME_ERROR ? -1 : (int64_t)state.maxerror;
}

int rig_interface_up(const char *name) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  int rc = ioctl(fd, SIOCGIFFLAGS, &request) != 0 ? errno : 0;
  if (rc == 0) {
    request.ifr_flags |= IFF_UP;
    rc = ioctl(fd, SIOCSIFFLAGS, &request) != 0 ? errno : 0;
  }
  close(fd);
  return rc;
}

int rig_terminal_width(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int rig_open_excl(const char *path, int mode) { return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); }

extern char **environ;
char **rig_environ(void) { return environ; }
