// A device in a program: the C agent of stage-link/1 with a start flow that only waits. It speaks over stdin and stdout,
// or on a terminal line.
//
//   agent-demo [--tty PATH | --pty] [--guarded] [--pace MS] [--serial TEXT]
//
// `--pty`: makes a terminal line of its own, and prints its path. `--pace`: what each step of the flow takes, by default
// 20 ms. It ends when the line does.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "demo_flow.h"

static int input = 0, output = 1;

static void send_bytes(void *context, const uint8_t *bytes, size_t count) {
  (void)context;
  while (count > 0) {
    ssize_t n = write(output, bytes, count);
    if (n <= 0) exit(0);
    bytes += n;
    count -= (size_t)n;
  }
}

static int open_tty(const char *path) {
  int fd = open(path, O_RDWR | O_NOCTTY);
  struct termios raw;
  if (fd < 0 || tcgetattr(fd, &raw) != 0) return -1;
  cfmakeraw(&raw);
  raw.c_cflag |= CLOCAL | CREAD;
  cfsetspeed(&raw, B115200);
  return tcsetattr(fd, TCSANOW, &raw) == 0 ? fd : -1;
}

// The line that others open stays open here too: without that it would end whenever they close it.
static int open_pty(void) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY);
  const char *path = fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0 ? NULL : ptsname(fd);
  if (path == NULL || open_tty(path) < 0) return -1;
  printf("%s\n", path);
  fflush(stdout);
  return fd;
}

int main(int count, char **words) {
  static demo_settings settings = {
      .serial = "D1", .address = "rtsp://127.0.0.1:1/live", .pace = 20000, .send = send_bytes};
  for (int i = 1; i < count; i++) {
    const char *value = i + 1 < count ? words[i + 1] : "";
    if (strcmp(words[i], "--guarded") == 0) {
      settings.guarded = true;
    } else if (strcmp(words[i], "--pace") == 0) {
      settings.pace = (uint64_t)atoi(value) * 1000;
      i++;
    } else if (strcmp(words[i], "--serial") == 0) {
      settings.serial = value;
      i++;
    } else if (strcmp(words[i], "--size") == 0) {
      printf("%zu\n", sizeof(sl_agent));
      return 0;
    } else if (strcmp(words[i], "--tty") == 0 && (input = output = open_tty(value)) >= 0) {
      i++;
    } else if (strcmp(words[i], "--pty") == 0 && (input = output = open_pty()) >= 0) {
      continue;
    } else {
      fprintf(stderr, "agent-demo: %s: unknown, or cannot be opened\n", words[i]);
      return 2;
    }
  }
  demo_begin(&settings);
  for (;;) {
    struct pollfd poller = {input, POLLIN, 0};
    if (poll(&poller, 1, (int)(demo_wait() / 1000 + 1)) > 0) {
      char bytes[4096];
      ssize_t n = read(input, bytes, sizeof bytes);
      if (n <= 0) return 0;
      sl_receive(&demo_agent, bytes, (size_t)n);
    }
    demo_tick();
  }
}
