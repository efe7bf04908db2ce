// stage-link/1 for firmware: what a device says to the harness that tests it. One header, one C file, C11.
//
// It allocates nothing, keeps all of its state in a `struct sl_agent` that the caller provides, prints nothing, and
// needs of libc no more than memcpy, memmove, memset, memcmp, strcmp and strlen. It is not thread-safe: call it from
// one task. How to use it, with an example: "Write an agent" in the documentation.
//
// The firmware gives it bytes (`sl_receive`), a call now and then (`sl_tick`), and events (`sl_event`, `sl_completion`,
// `sl_finish`). It calls back to send bytes, to read the clock, and to start, stop and reset.
#ifndef STAGE_LINK_AGENT_H
#define STAGE_LINK_AGENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sizes. Define them for the compiler to change them; all of the memory is in `struct sl_agent`.

// The most bytes of JSON in a record, 512 to 4,096. The reply to hello must fit: 1,024 is a sensible least.
#ifndef SL_RECORD_LIMIT
#define SL_RECORD_LIMIT 4096
#endif
// Events that are kept for replay, at least 64, and the bytes that they may take together: the oldest go first. An
// event of the start flow takes about 150 bytes, and an address adds its own length.
#ifndef SL_RING_EVENTS
#define SL_RING_EVENTS 64
#endif
#ifndef SL_RING_BYTES
#define SL_RING_BYTES 20480
#endif
// Injected faults that wait, and the bytes that the JSON of the arguments of one may take, with a NUL. At least 1 each.
#ifndef SL_FAULTS
#define SL_FAULTS 8
#endif
#ifndef SL_FAULT_ARGUMENTS
#define SL_FAULT_ARGUMENTS 192
#endif
// Lines that are kept for the request `log`, at least 1, and the bytes of one, with a NUL: 2 to SL_RECORD_LIMIT.
#ifndef SL_LOG_LINES
#define SL_LOG_LINES 16
#endif
#ifndef SL_LOG_LINE
#define SL_LOG_LINE 96
#endif

// The longest run id in bytes.
#define SL_RUN 64
#define SL_ID 68

// Codes of error replies.
enum {
  SL_ACCEPTED = 0,
  SL_PARSE_ERROR = -32700,
  SL_INVALID_REQUEST = -32600,
  SL_METHOD_NOT_FOUND = -32601,
  SL_INVALID_PARAMS = -32602,
  SL_BUSY = -32001,
  SL_BAD_STATE = -32002,
  SL_UNSUPPORTED = -32003,
  SL_BAD_PARAM = -32004,
  SL_UNKNOWN_FAULT = -32005,
  SL_NOT_READY = -32006,
  SL_TIMEOUT = -32007,
  SL_HARDWARE = -32008,
  SL_TOO_LARGE = -32009,
  SL_VERSION = -32010
};

typedef enum { SL_IDLE, SL_STARTING, SL_STREAMING, SL_STOPPING } sl_state;
// Why a run must end: the harness asked for it, or it has been silent for longer than the run allows.
typedef enum { SL_STOP_ASKED, SL_STOP_OWNER_GONE } sl_stop_reason;

// Least and greatest value of a stream parameter. `most` 0: the device publishes no range.
typedef struct {
  int64_t least, most;
} sl_range;

// A fault that the device can carry out: its layer (`flow`), its verb (`hang`), the stage (`enter-live-mode`).
typedef struct {
  const char *layer, *verb, *stage;
} sl_fault_kind;

// An injected fault.
typedef struct {
  char id[12];
  const sl_fault_kind *kind;
  int64_t remaining;
  // Device time in microseconds at which it dies; 0: at the end of the run.
  uint64_t expires;
  // JSON; read it with `sl_fault_integer` and `sl_fault_text`.
  char arguments[(SL_FAULT_ARGUMENTS)];
} sl_fault;

typedef struct {
  const char *run, *flow;
  // The device's own parameters; the three below are 0.
  bool default_params;
  // Bit/s; 0: the device's default.
  int64_t bitrate;
  // 0 is lossless, larger is more compression.
  int64_t quality_factor;
  // P and B frames between two I frames.
  int64_t i_frame_interval;
} sl_start_request;

typedef struct {
  const char *domain;
  int64_t code;
  const char *message;
} sl_error;

// What the device is, and how the agent reaches the rest of the firmware. Texts may be NULL, but for `model`; lists end
// with NULL. The agent keeps a pointer to it.
typedef struct {
  const char *agent_name, *agent_version;
  // `firmware` (NULL), `app` or `emulator`.
  const char *role;
  // Losing the control link is a failure of the subject, not an error of the rig.
  bool under_test;
  const char *model, *serial, *fw_version, *fw_build, *fw_git, *sdk;
  const char *const *flows;
  // `rtsp` if the device can stream, `inject` if it takes faults.
  const char *const *caps;
  const sl_fault_kind *faults;
  size_t fault_count;
  // `bitrate` in bit/s.
  sl_range bitrate, quality_factor, i_frame_interval;
  // A TCP port that answers exactly while the hotspot is up.
  const char *probe_host;
  uint16_t probe_port;
  // RS and CRC are required of received records: on serial and USB.
  bool guarded;
  // `src` of events: `fw` (NULL), `sdk`, `host`.
  const char *source;

  // What may be called inside of the functions below:
  // - in all of them: what reports (`sl_event` and its kin, `sl_completion`, `sl_finish`, `sl_take_fault`), `sl_log`,
  //   `sl_link_reset`, and what only tells (`sl_run`, `sl_current_state`, `sl_damaged`). Inside of `send`, events and
  //   lines of the log are only kept: the harness asks for the events, which have some 100 bytes for their members.
  //   Inside of `now_us`, the time of an event is that of the call before.
  // - in all but `send` and `now_us`: `sl_tick` and `sl_next_us` too, where one of them waits.
  // - in `reset` alone: `sl_init`.
  // - never `sl_receive`: its bytes are dropped, and counted as a damaged record. Nor `sl_tick` in `send` and `now_us`,
  //   where it does nothing.

  // Passed to each of the functions below.
  void *context;
  // Sends all of the bytes, or none; they are there for the time of the call. An event that is lost here is asked for
  // again. A record of which only a part was sent is counted as damaged at the other end. If that means that the channel
  // is gone, `sl_link_reset` may be called at once.
  void (*send)(void *context, const uint8_t *bytes, size_t count);
  // Monotonic, in microseconds, all 64 bits: a timer of 32 bits, which begins anew every 71 minutes, must be extended.
  uint64_t (*now_us)(void *context);
  // Begins a run. SL_ACCEPTED, or the code of the refusal and perhaps why. `request->run` is there until the run ends;
  // the request itself for the time of the call.
  int32_t (*start)(void *context, const sl_start_request *request, const char **why);
  // Ends the run, now or later; `sl_finish` says that it has ended.
  void (*stop)(void *context, const char *run, sl_stop_reason reason);
  // May be NULL: nothing to do when a fault is injected. SL_ACCEPTED, or the code of the refusal. `fault` is there for
  // the time of the call.
  int32_t (*inject)(void *context, const sl_fault *fault, const char **why);
  // May be NULL. All faults were cleared: close what a fault left open.
  void (*cleared)(void *context);
  // May be NULL: the device joins by itself. The outcome of the harness's join.
  void (*link_result)(void *context, bool success);
  // May be NULL: no reset. `level` is `agent` or `device`. What boots anew calls `sl_init` with another boot id; it may
  // do so in this function.
  void (*reset)(void *context, const char *level);
  // May be NULL: always ready. A list of reasons that ends with NULL, empty if there is none; it must last until the
  // next call. Reasons that find no room in a record are left out.
  const char *const *(*not_ready)(void *context);
} sl_config;

typedef enum { SL_TEXT, SL_INTEGER, SL_BOOL, SL_ERROR, SL_SSID, SL_JOIN, SL_FREE_TEXT } sl_field_kind;
// Members of an event. Made with the functions below. A member stands in the event as it is or not at all: one that
// finds no room in a record is left out, and so is a number beyond 2^53, an SSID of more than 32 octets, a key that is
// not UTF-8, a second member of a name, and one named as what each event has (`seq`, `boot`, `run`, `t`, `name`, `src`,
// `cut`). Only messages of errors and free texts are cut. An event that lacks something says `"cut":true`. A byte of a
// text that is not UTF-8 becomes U+FFFD.
typedef struct {
  sl_field_kind kind;
  const char *name;
  const char *text;
  size_t length;
  int64_t number;
  const sl_error *error;
} sl_field;

static inline sl_field sl_text(const char *name, const char *text) {
  sl_field f = {SL_TEXT, name, text, 0, 0, NULL};
  return f;
}
// A text for people, of which the beginning is worth something, too.
static inline sl_field sl_free_text(const char *name, const char *text) {
  sl_field f = {SL_FREE_TEXT, name, text, 0, 0, NULL};
  return f;
}
static inline sl_field sl_integer(const char *name, int64_t number) {
  sl_field f = {SL_INTEGER, name, NULL, 0, number, NULL};
  return f;
}
static inline sl_field sl_bool(const char *name, bool value) {
  sl_field f = {SL_BOOL, name, NULL, 0, value, NULL};
  return f;
}
// `null` where `error` is NULL.
static inline sl_field sl_error_field(const sl_error *error) {
  sl_field f = {SL_ERROR, "error", NULL, 0, 0, error};
  return f;
}
// At most 32 octets: `ssid`, or `ssidHex` if they are not UTF-8.
static inline sl_field sl_ssid(const void *octets, size_t length) {
  sl_field f = {SL_SSID, "ssid", (const char *)octets, length, 0, NULL};
  return f;
}
// Who joins the hotspot: `device`, or `harness`, which needs the key.
static inline sl_field sl_join(const char *by, const char *key) {
  sl_field f = {SL_JOIN, by, key, 0, 0, NULL};
  return f;
}

// All of the agent's memory. The members are its own business.
typedef struct sl_agent {
  const sl_config *config;
  char boot[17];
  char run[SL_RUN + 1], last_run[SL_RUN + 1];
  sl_state state;
  bool greeted, owner_gone;
  // A function of the firmware is running: one that carries out a request, `send`, `now_us`.
  bool handling, sending, asking;
  bool finishing, link_lost;
  uint64_t owner_timeout, last_heard, next_heartbeat, time;
  int64_t last_sequence;

  // Received.
  char line[(SL_RECORD_LIMIT) + 14];
  size_t line_length;
  uint64_t line_began, received_at;
  bool skipping;
  uint32_t damaged;

  // To be sent: one record.
  char out[(SL_RECORD_LIMIT) + 14];

  // Events: their JSON one behind the other, round the end.
  char ring[(SL_RING_BYTES)];
  size_t ring_begin, ring_used;
  uint16_t ring_lengths[(SL_RING_EVENTS)];
  size_t ring_first, ring_count;

  sl_fault faults[(SL_FAULTS)];
  size_t fault_count;
  uint32_t last_fault;

  char log[(SL_LOG_LINES)][(SL_LOG_LINE)];
  int64_t log_next;
} sl_agent;

// Begins a boot. `boot` is random for each boot. `config` must live as long as the agent.
void sl_init(sl_agent *agent, const sl_config *config, uint64_t boot);

// The channel was opened anew, or lost. Faults die, unless a run needs them. Not needed on serial.
void sl_link_reset(sl_agent *agent);

// Bytes from the harness, cut anywhere.
void sl_receive(sl_agent *agent, const void *bytes, size_t count);

// Heartbeats, a lost owner, faults that expire. Call it when `sl_next_us` has passed, or simply ten times a second.
void sl_tick(sl_agent *agent);
// Microseconds until `sl_tick` has something to do.
uint64_t sl_next_us(sl_agent *agent);

// Reports an event with the time of now; the second form takes a time that was read before, in an interrupt perhaps.
// Returns its sequence number.
int64_t sl_event(sl_agent *agent, const char *name, const sl_field *fields, size_t count);
int64_t sl_event_at(sl_agent *agent, uint64_t t_us, const char *name, const sl_field *fields, size_t count);
// A completion: `success` is whether `error` is NULL. That of `sessionStartCompletion` makes the state `streaming`.
int64_t sl_completion(sl_agent *agent, const char *name, const sl_error *error);
// Reports `sessionFinish`: the run has ended, its faults die, the next one may start.
// `user_stopped`: because of SL_STOP_ASKED or a button, and not by itself.
void sl_finish(sl_agent *agent, bool user_stopped, const sl_error *error);

// Whether a fault was injected here, and its time has not passed. Uses it up, once, and claims `x.fault.fired`.
bool sl_take_fault(sl_agent *agent, const char *verb, const char *stage, sl_fault *fault);
// Arguments of a fault: `for` and `after` in milliseconds, `code`, `message`.
bool sl_fault_integer(const sl_fault *fault, const char *name, int64_t *value);
bool sl_fault_text(const sl_fault *fault, const char *name, char *text, size_t capacity);

// A line of the device's log: sent outside of any record, and kept for the request `log`.
void sl_log(sl_agent *agent, const char *text);

// The run that is on; NULL: none.
const char *sl_run(const sl_agent *agent);
sl_state sl_current_state(const sl_agent *agent);
// Records that came damaged since `sl_init`.
uint32_t sl_damaged(const sl_agent *agent);

#ifdef __cplusplus
}
#endif
#endif
