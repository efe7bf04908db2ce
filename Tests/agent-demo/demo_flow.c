// The flow: six steps, each of which reports its begin and its end.
#include "demo_flow.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

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

sl_agent demo_agent;
static sl_config config;
static const demo_settings *settings;
static int current = NOTHING;
static uint64_t due;
static bool begun;
static sl_stop_reason stop_reason;
static sl_error refusal;
static char refusal_message[64];

uint64_t demo_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t now_us(void *context) {
  (void)context;
  return demo_now();
}

static void go_to(int next) {
  current = next;
  begun = false;
  due = demo_now() + settings->pace / 4;
}

static int32_t start(void *context, const sl_start_request *request, const char **why) {
  (void)context;
  (void)request;
  if (current != NOTHING) {
    *why = "still cleaning up";
    return SL_BUSY;
  }
  sl_log(&demo_agent, "start");
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
  if (getrandom(&boot, sizeof boot, 0) != (ssize_t)sizeof boot) boot = demo_now();
  return boot;
}

static void reset(void *context, const char *level) {
  (void)context;
  (void)level;
  current = NOTHING;
  sl_init(&demo_agent, &config, random_boot());
  if (settings->booted != NULL) settings->booted();
}

static void begin_step(void) {
  const step *s = &steps[current];
  begun = true;
  due = demo_now() + settings->pace;
  if (strcmp(s->stage, "connect-hotspot") == 0) {
    sl_field fields[2] = {sl_ssid("DEMO", 4), sl_join("device", NULL)};
    sl_event(&demo_agent, s->begins, fields, 2);
  } else if (s->begins != NULL) {
    sl_event(&demo_agent, s->begins, NULL, 0);
  }
  sl_fault fault;
  int64_t ms = 0;
  if (sl_take_fault(&demo_agent, "hang", s->stage, NULL)) due = UINT64_MAX;
  if (sl_take_fault(&demo_agent, "delay", s->stage, &fault) && sl_fault_integer(&fault, "for", &ms) && ms > 0) {
    due += (uint64_t)ms * 1000;
  }
}

static void complete_step(void) {
  const step *s = &steps[current];
  sl_fault fault;
  if (s->completes != NULL && sl_take_fault(&demo_agent, "refuse", s->stage, &fault)) {
    refusal = (sl_error){"device", -1, refusal_message};
    sl_fault_integer(&fault, "code", &refusal.code);
    if (!sl_fault_text(&fault, "message", refusal_message, sizeof refusal_message)) strcpy(refusal_message, "refused");
    sl_completion(&demo_agent, s->completes, &refusal);
    go_to(FAILING);
    return;
  }
  if (strcmp(s->stage, "receive-address") == 0) {
    bool broken = sl_take_fault(&demo_agent, "no-host", s->stage, NULL);
    sl_field address = sl_text("address", broken ? "rtsp:///live" : settings->address);
    sl_event(&demo_agent, "rtspAddressReceived", &address, 1);
  }
  if (s->completes != NULL) sl_completion(&demo_agent, s->completes, NULL);
  if (current + 1 < STEPS) {
    go_to(current + 1);
  } else {
    current = NOTHING;
  }
}

static void step_flow(void) {
  if (current == NOTHING || demo_now() < due) return;
  static const sl_error owner_gone = {"agent", 1, "the owner went silent"};
  switch (current) {
    case STOPPING:
      current = NOTHING;
      sl_finish(&demo_agent, stop_reason == SL_STOP_ASKED, stop_reason == SL_STOP_ASKED ? NULL : &owner_gone);
      break;
    case FAILING:
      current = NOTHING;
      sl_finish(&demo_agent, false, &refusal);
      break;
    default:
      if (!begun) begin_step();
      else complete_step();
  }
}

void demo_begin(const demo_settings *given) {
  settings = given;
  config = (sl_config){
      .agent_name = "agent-demo", .model = "c-demo", .serial = given->serial, .fw_version = "1.0", .flows = flows,
      .caps = caps, .faults = kinds, .fault_count = sizeof kinds / sizeof *kinds, .bitrate = {250000, 8000000},
      .quality_factor = {0, 51}, .i_frame_interval = {4, 119}, .guarded = given->guarded, .source = "sdk",
      .send = given->send, .now_us = now_us, .start = start, .stop = stop, .reset = reset};
  sl_init(&demo_agent, &config, random_boot());
}

void demo_tick(void) {
  sl_tick(&demo_agent);
  step_flow();
}

uint64_t demo_wait(void) {
  uint64_t wait = sl_next_us(&demo_agent), now = demo_now();
  if (current != NOTHING && due != UINT64_MAX) {
    uint64_t step_wait = due > now ? due - now : 0;
    if (step_wait < wait) wait = step_wait;
  }
  return wait;
}
