// A USB interface of stage-link/1 by Linux's FunctionFS: its bulk pair as bytes that come and bytes that go.
#ifndef BULK_PAIR_H
#define BULK_PAIR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  // Poll and read them. `events`: single characters, below. `bytes`: what the host sent.
  int events, bytes;
} bulk_pair;

// `E`: the host configured the device; `D`: it is gone, or will enumerate the device anew.
enum { BULK_ENABLED = 'E', BULK_DISABLED = 'D' };

// Takes the FunctionFS that is mounted at `folder`. The gadget can be bound to a controller after this.
// Returns false with a message on stderr.
bool bulk_open(bulk_pair *pair, const char *folder);

// Puts bytes into the queue for the host: all of them, or none where it is full, which it is when no host reads.
bool bulk_send(const uint8_t *bytes, size_t count);
// Throws away what waits in the queue.
void bulk_forget(void);
// Waits until the host has read all of it, but not longer than this.
void bulk_flush(unsigned milliseconds);

// Halt an endpoint: the host sees a stall until it clears it. IN halts when what is queued for it has gone.
void bulk_halt_in(void);
void bulk_halt_out(void);
#endif
