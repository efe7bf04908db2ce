// A device that only waits: the C agent of stage-link/1 with a start flow, for programs that give it a line.
#ifndef DEMO_FLOW_H
#define DEMO_FLOW_H
#include <stdbool.h>
#include <stdint.h>

#include "stage_link_agent.h"

typedef struct {
  const char *serial, *address;
  // What each step of the flow takes, in microseconds.
  uint64_t pace;
  // RS and CRC are required.
  bool guarded;
  // Sends all of the bytes, or none.
  void (*send)(void *context, const uint8_t *bytes, size_t count);
  // May be NULL. The device boots: the agent has begun anew.
  void (*booted)(void);
} demo_settings;

extern sl_agent demo_agent;

// `settings` must live on.
void demo_begin(const demo_settings *settings);
// What is due in the agent and in the flow.
void demo_tick(void);
// Microseconds until then.
uint64_t demo_wait(void);
// Monotonic, in microseconds.
uint64_t demo_now(void);
#endif
