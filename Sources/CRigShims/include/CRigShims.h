// What Swift's Glibc module cannot express on Linux, and nothing else: unions (epoll_event), variadic calls (ioctl,
// open flags), system calls without a wrapper, and macros with arguments. No logic may live here.
#ifndef CRIGSHIMS_H
#define CRIGSHIMS_H
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// epoll: the user word of an event sits in a union.
struct rig_epoll_ready { uint64_t token; uint32_t events; };
int rig_epoll_create(void);
int rig_epoll_add(int ep, int fd, uint32_t events, uint64_t token);
int rig_epoll_remove(int ep, int fd);
// Waits at most `ns` nanoseconds (negative: for ever); returns the count or -1.
int rig_epoll_wait(int ep, struct rig_epoll_ready *out, int capacity, int64_t ns);
extern const uint32_t rig_epoll_in, rig_epoll_out, rig_epoll_edge, rig_epoll_hangup, rig_epoll_error;

// eventfd, signalfd, pidfd: GNU-only or without a wrapper in glibc 2.36.
int rig_eventfd(void);
void rig_eventfd_signal(int fd);
void rig_eventfd_drain(int fd);
// Blocks the signals for this thread and gives a descriptor that reads them; -1 on failure.
int rig_signalfd(const int *signals, int count);
// The next pending signal number, or 0.
int rig_signalfd_next(int fd);
void rig_unblock_all_signals(void);
int rig_pidfd_open(pid_t pid);

// Sockets: flags that need casts or GNU calls.
int rig_socket(int family, int type);
int rig_accept(int fd);
int rig_set_nonblocking(int fd);
int rig_pipe(int fds[2]);

// posix_spawn with only stdin, stdout and stderr open, default signals, and a process group of its own.
// `stderr_fd` < 0: inherited. Returns 0 or an errno.
int rig_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[], int stdin_fd, int stdout_fd,
              int stderr_fd);
// GNU-only: the child's process group becomes the terminal's foreground group before the program starts. 0 or an errno.
int rig_spawn_takes_terminal(posix_spawn_file_actions_t *actions, int terminal);
int rig_wait_status(pid_t pid, int *exit_code, int *signal_number, int block);

// Namespaces: unshare is GNU-only.
// A private user and network namespace in which this user is root; 0 or an errno. Call before any thread exists.
int rig_private_network(uid_t uid, gid_t gid);
// Brings a network interface up in the current namespace; 0 or an errno.
int rig_interface_up(const char *name);

// sys/timex.h is not in the Glibc module. The kernel's bound on the wall clock's error in microseconds; -1 while nobody
// synchronizes it.
int64_t rig_wall_clock_error(void);

// Terminal: ioctl is variadic.
int rig_terminal_width(int fd);
int rig_open_excl(const char *path, int mode);
char **rig_environ(void);
#endif
