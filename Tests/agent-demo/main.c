// A device in a program: the C agent of stage-link/1 with a start flow that only waits. It speaks over stdin and stdout,
// or on a terminal line.
//
//   agent-demo [--tty PATH] [--guarded] [--pace MS] [--serial TEXT]
//
// `--pace`: what each step of the flow takes, by default 20 ms. It ends when the line does.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "stage_link_agent.h"

typedef struct {
  const char *stage;
  // What is reported when the step begins and when it ends; NULL: nothing.
  const char *begins, *completes;
} step;

static const step steps[] = {
    {"configure-hotspot", "configureHotspotStarting", "hotspotConfigureCompletion"},
    {"enter-live-mode", "enterLiveStreamingModeStarting", "enterLiveStreamingModeCompleted"},
    {"wait-for-hotspot", "waitingForHotspotOpen", NULL},
    {"connect-hotspot", "connectDeviceHotspotStarting", "deviceHotspotConnectCompletion"},
    {"receive-address", NULL, NULL},
    {"start-session", NULL, "sessionStartCompletion"},
};
enum { STEPS = sizeof steps / sizeof *steps, NOTHING = -1, STOPPING = STEPS, FAILING = STEPS + 1 };

static const sl_fault_kind kinds[] = {
    {"flow", "hang", "configure-hotspot"},   {"flow", "refuse", "configure-hotspot"},
    {"flow", "hang", "enter-live-mode"},     {"flow", "refuse", "enter-live-mode"},
    {"flow", "delay", "enter-live-mode"},    {"flow", "hang", "connect-hotspot"},
    {"flow", "refuse", "connect-hotspot"},   {"flow", "refuse", "start-session"},
    {"address", "no-host", "receive-address"},
};
static const char *const flows[] = {"rtsp-hotspot", NULL};
static const char *const caps[] = {"rtsp", "inject", NULL};

static sl_agent agent;
static sl_config config;
static int input = 0, output = 1;
static uint64_t pace = 20000;
static int current = NOTHING;
static uint64_t due;
static bool begun;
static sl_stop_reason stop_reason;
static sl_error refusal;
static char refusal_message[64];

static uint64_t now_us(void *context) {
  (void)context;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void send_bytes(void *context, const uint8_t *bytes, size_t count) {
  (void)context;
  while (count > 0) {
    ssize_t n = write(output, bytes, count);
    if (n <= 0) exit(0);
    bytes += n;
    count -= (size_t)n;
  }
}

static void go_to(int next) {
  current = next;
  begun = false;
  due = now_us(NULL) + pace / 4;
}

static int32_t start(void *context, const sl_start_request *request, const char **why) {
  (void)context;
  (void)request;
  if (current != NOTHING) {
    *why = "still cleaning up";
    return SL_BUSY;
  }
  sl_log(&agent, "start");
  go_to(0);
  return SL_ACCEPTED;
}

static void stop(void *context, const char *run, sl_stop_reason reason) {
  (void)context;
  (void)run;
  stop_reason = reason;
  go_to(STOPPING);
}

static uint64_t random_boot(void) {
  uint64_t boot = 0;
  if (getrandom(&boot, sizeof boot, 0) != (ssize_t)sizeof boot) boot = now_us(NULL);
  return boot;
}

static void reset(void *context, const char *level) {
  (void)context;
  (void)level;
  current = NOTHING;
  sl_init(&agent, &config, random_boot());
}

static void begin_step(void) {
  const step *s = &steps[current];
  begun = true;
  due = now_us(NULL) + pace;
  if (strcmp(s->stage, "connect-hotspot") == 0) {
    sl_field fields[2] = {sl_ssid("DEMO", 4), sl_join("device", NULL)};
    sl_event(&agent, s->begins, fields, 2);
  } else if (s->begins != NULL) {
    sl_event(&agent, s->begins, NULL, 0);
  }
  sl_fault fault;
  int64_t ms = 0;
  if (sl_take_fault(&agent, "hang", s->stage, NULL)) due = UINT64_MAX;
  if (sl_take_fault(&agent, "delay", s->stage, &fault) && sl_fault_integer(&fault, "for", &ms) && ms > 0) {
    due += (uint64_t)ms * 1000;
  }
}

static void complete_step(void) {
  const step *s = &steps[current];
  sl_fault fault;
  if (s->completes != NULL && sl_take_fault(&agent, "refuse", s->stage, &fault)) {
    refusal = (sl_error){"device", -1, refusal_message};
    sl_fault_integer(&fault, "code", &refusal.code);
    if (!sl_fault_text(&fault, "message", refusal_message, sizeof refusal_message)) strcpy(refusal_message, "refused");
    sl_completion(&agent, s->completes, &refusal);
    go_to(FAILING);
    return;
  }
  if (strcmp(s->stage, "receive-address") == 0) {
    bool broken = sl_take_fault(&agent, "no-host", s->stage, NULL);
    sl_field address = sl_text("address", broken ? "rtsp:///live" : "rtsp://127.0.0.1:1/live");
    sl_event(&agent, "rtspAddressReceived", &address, 1);
  }
  if (s->completes != NULL) sl_completion(&agent, s->completes, NULL);
  if (current + 1 < STEPS) {
    go_to(current + 1);
  } else {
    current = NOTHING;
  }
}

static void step_flow(void) {
  if (current == NOTHING || now_us(NULL) < due) return;
  static const sl_error owner_gone = {"agent", 1, "the owner went silent"};
  switch (current) {
    case STOPPING:
      current = NOTHING;
      sl_finish(&agent, stop_reason == SL_STOP_ASKED, stop_reason == SL_STOP_ASKED ? NULL : &owner_gone);
      break;
    case FAILING:
      current = NOTHING;
      sl_finish(&agent, false, &refusal);
      break;
    default:
      if (!begun) begin_step();
      else complete_step();
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

int main(int count, char **words) {
  config = (sl_config){
      .agent_name = "agent-demo", .model = "c-demo", .serial = "D1", .fw_version = "1.0", .flows = flows, .caps = caps,
      .faults = kinds, .fault_count = sizeof kinds / sizeof *kinds, .bitrate = {250000, 8000000},
      .quality_factor = {0, 51}, .i_frame_interval = {4, 119}, .source = "sdk", .send = send_bytes, .now_us = now_us,
      .start = start, .stop = stop, .reset = reset};
  for (int i = 1; i < count; i++) {
    const char *value = i + 1 < count ? words[i + 1] : "";
    if (strcmp(words[i], "--guarded") == 0) {
      config.guarded = true;
    } else if (strcmp(words[i], "--pace") == 0) {
      pace = (uint64_t)atoi(value) * 1000;
      i++;
    } else if (strcmp(words[i], "--serial") == 0) {
      config.serial = value;
      i++;
    } else if (strcmp(words[i], "--size") == 0) {
      printf("%zu\n", sizeof(sl_agent));
      return 0;
    } else if (strcmp(words[i], "--tty") == 0 && (input = output = open_tty(value)) >= 0) {
      i++;
    } else {
      fprintf(stderr, "agent-demo: %s: unknown, or cannot be opened\n", words[i]);
      return 2;
    }
  }
  sl_init(&agent, &config, random_boot());
  for (;;) {
    uint64_t wait = sl_next_us(&agent), now = now_us(NULL);
    if (current != NOTHING && due != UINT64_MAX) {
      uint64_t step_wait = due > now ? due - now : 0;
      if (step_wait < wait) wait = step_wait;
    }
    struct pollfd poller = {input, POLLIN, 0};
    if (poll(&poller, 1, (int)(wait / 1000 + 1)) > 0) {
      char bytes[4096];
      ssize_t n = read(input, bytes, sizeof bytes);
      if (n <= 0) return 0;
      sl_receive(&agent, bytes, (size_t)n);
    }
    sl_tick(&agent);
    step_flow();
  }
}
