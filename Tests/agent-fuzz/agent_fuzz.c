// Feeds the C agent with what a harness, a noisy line or an enemy may send, and with a device that lives meanwhile.
// Built and run by ci/agent, with AddressSanitizer and UndefinedBehaviorSanitizer.
//
// An input is a list of lines; one of an odd length is for a guarded channel. `!` and a byte let that many tenths of a second pass, `#` opens the channel anew, `@` and
// a byte let the device do something, `=` sends the rest of the line as a record with a right checksum; what begins
// otherwise is sent as it is.
//
// Held: two agents of which one gets its bytes one by one say the same; each thing sent is one whole record of the
// right size with a right checksum, or a line of the log; sequence numbers have no gap.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage_link_agent.h"

typedef struct {
  sl_agent agent;
  sl_config config;
  uint64_t now;
  uint32_t hash;
  int64_t sent;
} bench;

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "VIOLATION: %s\n", what);
  abort();
}

static uint32_t crc(const uint8_t *bytes, size_t count) {
  static uint32_t table[256];
  for (uint32_t n = 0; table[255] == 0 && n < 256; n++) {
    uint32_t c = n;
    for (int k = 0; k < 8; k++) c = (c & 1) != 0 ? 0xEDB88320 ^ c >> 1 : c >> 1;
    table[n] = c;
  }
  uint32_t c = 0xFFFFFFFF;
  for (size_t i = 0; i < count; i++) c = table[(c ^ bytes[i]) & 0xFF] ^ c >> 8;
  return ~c;
}

static void send_bytes(void *context, const uint8_t *bytes, size_t count) {
  bench *b = context;
  require(count > 0 && count <= SL_RECORD_LIMIT + 12, "more was sent than a record may hold");
  require(bytes[count - 1] == '\n', "a record without its line feed");
  require(memchr(bytes, '\n', count - 1) == NULL, "a line feed inside of a record");
  if (bytes[0] == 0x1E) {
    char sent[9] = {0}, right[9];
    require(count > 12 && bytes[1] == '{' && bytes[count - 12] == '}', "a record without a JSON object");
    memcpy(sent, bytes + count - 9, 8);
    snprintf(right, sizeof right, "%08x", crc(bytes + 1, count - 12));
    require(strcmp(sent, right) == 0, "a wrong checksum");
    for (size_t i = 1; i < count - 1; i++) require(bytes[i] >= 0x20, "a raw control byte in a record");
  } else {
    require(bytes[0] != '{', "a line of the log that looks like a record");
  }
  b->hash = b->hash * 31 + crc(bytes, count);
  b->sent++;
}

static uint64_t now_us(void *context) { return ((bench *)context)->now; }

static int32_t start(void *context, const sl_start_request *request, const char **why) {
  bench *b = context;
  require(strlen(request->run) > 0 && strlen(request->run) <= SL_RUN, "a run id of a wrong length");
  require(request->default_params || request->bitrate == 0 || request->bitrate >= 250000, "a bit rate out of range");
  if (b->now % 7 == 3) {
    *why = "camera \"not\" available\n";
    return SL_HARDWARE;
  }
  sl_event(&b->agent, "configureHotspotStarting", NULL, 0);
  return SL_ACCEPTED;
}

static void stop(void *context, const char *run, sl_stop_reason reason) {
  bench *b = context;
  require(strlen(run) > 0, "stop without a run");
  if (b->now % 3 == 0) sl_finish(&b->agent, reason == SL_STOP_ASKED, NULL);
}

static void reset(void *context, const char *level) {
  bench *b = context;
  (void)level;
  sl_init(&b->agent, &b->config, b->now);
}

static void link_result(void *context, bool success) {
  bench *b = context;
  sl_completion(&b->agent, "deviceHotspotConnectCompletion", success ? NULL : &(sl_error){"link", 3, "no lease"});
}

static const char *const *not_ready(void *context) {
  static const char *const worn[] = {"worn", "batter\"y", NULL};
  return ((bench *)context)->now % 11 == 5 ? worn : NULL;
}

static const sl_fault_kind kinds[] = {{"flow", "hang", "finish"}, {"flow", "refuse", "finish"}, {"rtp", "drop", "play"}};
static const char *const list[] = {"rtsp-hotspot", "\xff\"", NULL};

static void set_up(bench *b, bool guarded) {
  memset(b, 0, sizeof *b);
  b->config = (sl_config){
      .model = "fuzz", .serial = "\x01\"\\\xc3", .flows = list, .caps = list, .faults = kinds, .fault_count = 3,
      .bitrate = {250000, 8000000}, .quality_factor = {0, 51}, .i_frame_interval = {4, 119}, .probe_host = "::1",
      .guarded = guarded, .context = b, .send = send_bytes, .now_us = now_us, .start = start, .stop = stop,
      .reset = reset, .link_result = link_result, .not_ready = not_ready};
  sl_init(&b->agent, &b->config, 0x0123456789abcdef);
}

static void live(bench *b, uint8_t what, const uint8_t *text, size_t count) {
  char words[1500];
  size_t n = count < sizeof words - 1 ? count : sizeof words - 1;
  memcpy(words, text, n);
  words[n] = 0;
  int64_t before = b->agent.last_sequence;
  const sl_error error = {words, -7, words};
  sl_fault fault;
  char argument[20];
  int64_t number = 0;
  sl_field fields[] = {sl_text(words, words), sl_integer("n", INT64_MIN), sl_ssid(text, count), sl_join("harness", words),
                       sl_error_field(&error), sl_bool("b", true)};
  switch (what % 8) {
    case 0: sl_event(&b->agent, "rtspAddressReceived", fields, 1); break;
    case 1: sl_event(&b->agent, words, fields, 6); break;
    case 2: sl_completion(&b->agent, "sessionStartCompletion", count > 3 ? &error : NULL); break;
    case 3: sl_finish(&b->agent, count > 2, count > 3 ? &error : NULL); break;
    case 4: sl_log(&b->agent, words); break;
    case 5:
      if (sl_take_fault(&b->agent, "hang", "finish", &fault)) {
        sl_fault_integer(&fault, "code", &number);
        sl_fault_text(&fault, "message", argument, sizeof argument);
      }
      break;
    default:
      for (int i = 0; i < 70; i++) sl_event(&b->agent, "x.many", fields, 6);
  }
  int64_t added = b->agent.last_sequence - before;
  require(added >= 0 && added <= 70, "sequence numbers jump");
  require((int64_t)b->agent.ring_count <= b->agent.last_sequence, "more events than there were");
}

static void pass(bench *b, uint64_t us) {
  uint64_t end = b->now + us;
  for (int i = 0; b->now < end; i++) {
    uint64_t wait = sl_next_us(&b->agent);
    require(wait > 0 || i < 1000, "the agent never comes to rest");
    uint64_t left = end - b->now;
    b->now += wait == 0 ? 1 : wait < left ? wait : left;
    sl_tick(&b->agent);
  }
}

// Members that lie side by side: what runs out of one of them into the next, no sanitizer sees.
static void look(const sl_agent *a) {
  require(a->line_length <= SL_RECORD_LIMIT + 12, "a line beyond its end");
  require(a->ring_used <= SL_RING_BYTES && a->ring_count <= SL_RING_EVENTS, "more events than the ring holds");
  require(memchr(a->run, 0, sizeof a->run) != NULL, "a run id without its end");
  require(memchr(a->last_run, 0, sizeof a->last_run) != NULL, "a run id without its end");
  require(a->fault_count <= SL_FAULTS, "too many faults");
  for (size_t i = 0; i < a->fault_count; i++) {
    require(memchr(a->faults[i].arguments, 0, SL_FAULT_ARGUMENTS) != NULL, "arguments without their end");
    require(memchr(a->faults[i].id, 0, sizeof a->faults[i].id) != NULL, "an id without its end");
  }
  for (size_t i = 0; i < SL_LOG_LINES; i++) {
    require(memchr(a->log[i], 0, SL_LOG_LINE) != NULL, "a line of the log without its end");
  }
}

static void receive(bench *b, const uint8_t *bytes, size_t count, bool drip) {
  if (!drip) sl_receive(&b->agent, bytes, count);
  for (size_t i = 0; drip && i < count; i++) sl_receive(&b->agent, bytes + i, 1);
}

static void run(bench *b, const uint8_t *data, size_t size, bool drip) {
  const uint8_t hello[] = "\x1e{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}} *00000000\n";
  uint8_t record[sizeof hello + 12];
  memcpy(record, hello, sizeof hello);
  size_t json = sizeof hello - 1 - 12;
  snprintf((char *)record + 1 + json, 12, " *%08x\n", crc(record + 1, json));
  receive(b, record, 1 + json + 11, drip);
  while (size > 0) {
    const uint8_t *feed = memchr(data, '\n', size);
    size_t count = feed != NULL ? (size_t)(feed - data) + 1 : size;
    size_t body = feed != NULL ? count - 1 : count;
    if (data[0] == '!' && count > 1) {
      pass(b, (data[1] & 0x7F) * UINT64_C(100000));
    } else if (data[0] == '#') {
      sl_link_reset(&b->agent);
      receive(b, record, 1 + json + 11, drip);
    } else if (data[0] == '@' && count > 1) {
      live(b, data[1], data + 2 < data + body ? data + 2 : data, body > 2 ? body - 2 : 0);
    } else if (data[0] == '=') {
      uint8_t *whole = malloc(body + 12);
      whole[0] = 0x1E;
      memcpy(whole + 1, data + 1, body - 1);
      snprintf((char *)whole + body, 12, " *%08x\n", crc(data + 1, body - 1));
      receive(b, whole, body + 11, drip);
      free(whole);
    } else {
      receive(b, data, count, drip);
    }
    look(&b->agent);
    data += count;
    size -= count;
    b->now += 1;
  }
  pass(b, 3000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bench whole, dripped;
  bool guarded = size % 2 == 1;
  set_up(&whole, guarded);
  set_up(&dripped, guarded);
  run(&whole, data, size, false);
  run(&dripped, data, size, true);
  require(whole.hash == dripped.hash && whole.sent == dripped.sent, "byte by byte it says something else");
  require(whole.agent.damaged == dripped.agent.damaged, "byte by byte something else is damaged");
  return 0;
}
