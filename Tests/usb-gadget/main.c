// A device on the USB in a program: a Linux gadget whose stage-link/1 interface is served by FunctionFS. Behind it is the
// C agent with the flow of agent-demo, or the control port of another device.
//
//   usb-gadget [--serial TEXT] [--pace MS] [--address URL] [--to HOST:PORT] FUNCTIONFS UDC
//
// FUNCTIONFS: where the function file system is mounted. UDC: the gadget's file of that name in configfs, through which
// a device that boots leaves the bus and comes back. `--to`: no agent; what comes goes to that TCP port, and back.
// It prints `ready` when the gadget can be bound. SIGUSR1 halts the IN endpoint, SIGUSR2 the OUT endpoint.
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bulk_pair.h"
#include "demo_flow.h"

static const char *udc_file;
static bool boots;

static void send_bytes(void *context, const uint8_t *bytes, size_t count) {
  (void)context;
  bulk_send(bytes, count);
}

static void booted(void) { boots = true; }

static bool put(const char *text) {
  int fd = open(udc_file, O_WRONLY | O_CLOEXEC);
  bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  if (!done) perror(udc_file);
  if (fd >= 0) close(fd);
  return done;
}

static char controller[128];

// Off the bus, when the host has read what was said before.
static void leave_bus(void) {
  int fd = open(udc_file, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, controller, sizeof controller - 1);
  if (fd >= 0) close(fd);
  // Nothing there: somebody else has unplugged it.
  controller[n > 0 ? n : 0] = 0;
  if (n <= 1) return;
  bulk_flush(500);
  usleep(20000);
  put("\n");
  bulk_forget();
  printf("left the bus\n");
}

static void join_bus(void) {
  if (controller[0] != 0 && put(controller)) printf("back on the bus\n");
}

// MARK: Another device behind it

static const char *host;
static char port[8];

static int reach(void) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;
  if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
    close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  return fd;
}

static bool send_all(int fd, const char *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t n = send(fd, bytes + done, count - done, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += (size_t)n;
  }
  return true;
}

// It dropped its connection, as a device does that boots: off the bus until it answers again.
static int reach_again(int line) {
  close(line);
  leave_bus();
  for (int i = 0; i < 600; i++) {
    usleep(100000);
    line = reach();
    if (line < 0) continue;
    join_bus();
    return line;
  }
  fprintf(stderr, "usb-gadget: %s:%s does not come back\n", host, port);
  exit(1);
}

// MARK: -

static void take_event(bulk_pair *pair) {
  char what;
  if (read(pair->events, &what, 1) != 1) exit(1);
  printf(what == BULK_ENABLED ? "enabled\n" : "disabled\n");
  if (what == BULK_DISABLED) bulk_forget();
  if (host == NULL) sl_link_reset(&demo_agent);
}

static void take_signal(int signals) {
  struct signalfd_siginfo signal;
  if (read(signals, &signal, sizeof signal) != (ssize_t)sizeof signal) return;
  if (signal.ssi_signo == SIGUSR1) bulk_halt_in();
  else bulk_halt_out();
}

static void serve(bulk_pair *pair, int signals, int line) {
  for (;;) {
    struct pollfd polls[4] = {
        {pair->events, POLLIN, 0}, {pair->bytes, POLLIN, 0}, {signals, POLLIN, 0}, {line, POLLIN, 0}};
    int wait = host == NULL ? (int)(demo_wait() / 1000 + 1) : -1;
    char bytes[4096];
    if (poll(polls, 4, wait) > 0) {
      if (polls[0].revents != 0) take_event(pair);
      if (polls[2].revents != 0) take_signal(signals);
      if (polls[1].revents != 0) {
        ssize_t n = read(pair->bytes, bytes, sizeof bytes);
        if (n <= 0) exit(1);
        if (host == NULL) sl_receive(&demo_agent, bytes, (size_t)n);
        else if (!send_all(line, bytes, (size_t)n)) line = reach_again(line);
      }
      if (polls[3].revents != 0) {
        ssize_t n = recv(line, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n > 0) bulk_send((const uint8_t *)bytes, (size_t)n);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR)) line = reach_again(line);
      }
    }
    if (host != NULL) continue;
    demo_tick();
    if (boots) {
      boots = false;
      leave_bus();
      usleep(200000);
      join_bus();
    }
  }
}

int main(int count, char **words) {
  static demo_settings settings = {
      .serial = "D1", .address = "rtsp://127.0.0.1:1/live", .pace = 20000, .guarded = true, .send = send_bytes,
      .booted = booted};
  setvbuf(stdout, NULL, _IOLBF, 0);
  int i = 1;
  for (; i + 1 < count && words[i][0] == '-'; i += 2) {
    char *value = words[i + 1];
    char *colon = strrchr(value, ':');
    if (strcmp(words[i], "--serial") == 0) {
      settings.serial = value;
    } else if (strcmp(words[i], "--pace") == 0) {
      settings.pace = (uint64_t)atoi(value) * 1000;
    } else if (strcmp(words[i], "--address") == 0) {
      settings.address = value;
    } else if (strcmp(words[i], "--to") == 0 && colon != NULL && strlen(colon) < sizeof port) {
      strcpy(port, colon + 1);
      *colon = 0;
      host = value;
    } else {
      break;
    }
  }
  if (count - i != 2) {
    fprintf(stderr, "usage: usb-gadget [--serial TEXT] [--pace MS] [--address URL] [--to HOST:PORT] FUNCTIONFS UDC\n");
    return 2;
  }
  udc_file = words[i + 1];
  // Before any thread is made, so that none of them takes the signals.
  sigset_t asked;
  sigemptyset(&asked);
  sigaddset(&asked, SIGUSR1);
  sigaddset(&asked, SIGUSR2);
  sigprocmask(SIG_BLOCK, &asked, NULL);
  int signals = signalfd(-1, &asked, SFD_CLOEXEC);
  int line = -1;
  if (host != NULL && (line = reach()) < 0) {
    fprintf(stderr, "usb-gadget: nobody answers at %s:%s\n", host, port);
    return 1;
  }
  bulk_pair pair;
  if (signals < 0 || !bulk_open(&pair, words[i])) return 1;
  if (host == NULL) demo_begin(&settings);
  printf("ready\n");
  serve(&pair, signals, line);
}
