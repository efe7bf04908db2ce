// Feeds the C agent with what a harness, a noisy line or an enemy may send, and with a device that lives meanwhile.
// Built and run by ci/agent, with AddressSanitizer and UndefinedBehaviorSanitizer.
//
// An input is a list of lines; one of an odd length is for a guarded channel. `!` and a byte let that many tenths of a
// second pass, `#` opens the channel anew, `@` and a byte let the device do something, `%` and a byte say what the
// device's functions do when they are called, `=` sends the rest of the line as a record with a right checksum, `+`
// does so together with the next one; what begins otherwise is sent as it is.
//
// Held: two agents of which one gets its bytes one by one say the same. Each thing sent is one whole record of the
// right size with a right checksum, whose JSON the harness takes, or a line of the log, and stays what it is while it is
// sent. Addresses are whole. The log, the events and the faults can be read to their ends. A ping tells the time.
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
  // What the device's functions do, and whether that depends on how the bytes are cut.
  uint8_t mood;
  bool unfair;
  // The JSON of the last address that was reported, and the last record.
  char address[9100], last[SL_RECORD_LIMIT + 14];
} bench;

// Bits of the mood.
enum { LOGS = 1, REPORTS = 2, SEND_REPORTS = 4, CLOCK_REPORTS = 8, TICKS = 16, RECEIVES = 32, LOSES = 64, BOOTS = 128 };

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

// MARK: What the harness takes for JSON

static const uint8_t *json_value(const uint8_t *p, const uint8_t *end, int depth);

static const uint8_t *json_string(const uint8_t *p, const uint8_t *end) {
  require(p < end && *p == '"', "no string");
  for (p++; p < end && *p != '"';) {
    if (*p == '\\') {
      require(end - p > 1 && strchr("\"\\u", p[1]) != NULL && p[1] != 0, "an unknown escape");
      p += p[1] == 'u' ? 6 : 2;
    } else if (*p < 0x80) {
      p++;
    } else {
      int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : 1;
      uint32_t code = *p & (0x3F >> more);
      require(*p >= 0xC2 && *p <= 0xF4 && end - p > more, "bytes that are not UTF-8");
      for (p++; more > 0; more--, p++) {
        require((*p & 0xC0) == 0x80, "bytes that are not UTF-8");
        code = code << 6 | (*p & 0x3F);
      }
      require(code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF), "no character");
    }
  }
  require(p < end, "a string without its end");
  return p + 1;
}

static const uint8_t *json_members(const uint8_t *p, const uint8_t *end, int depth) {
  struct {
    const uint8_t *at;
    size_t length;
  } keys[24];
  size_t count = 0;
  const char close = *p == '{' ? '}' : ']';
  if (p + 1 < end && p[1] == close) return p + 2;
  do {
    const uint8_t *key = ++p;
    if (close == '}') {
      p = json_string(p, end);
      require(count < 24, "more members than there are");
      keys[count].at = key;
      keys[count].length = (size_t)(p - key);
      for (size_t i = 0; i < count; i++) {
        require(keys[i].length != keys[count].length || memcmp(keys[i].at, key, keys[i].length) != 0, "a key twice");
      }
      count++;
      require(p < end && *p == ':', "no colon");
      p++;
    }
    p = json_value(p, end, depth + 1);
    require(p < end, "an object without its end");
  } while (*p == ',');
  require(*p == close, "no comma");
  return p + 1;
}

static const uint8_t *json_value(const uint8_t *p, const uint8_t *end, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  require(p < end && depth < 8, "no value, or one too deep");
  if (*p == '"') return json_string(p, end);
  if (*p == '{' || *p == '[') return json_members(p, end, depth);
  for (size_t i = 0; i < 3; i++) {
    size_t n = strlen(words[i]);
    if ((size_t)(end - p) >= n && memcmp(p, words[i], n) == 0) return p + n;
  }
  uint64_t number = 0;
  if (*p == '-') p++;
  require(p < end && *p >= '0' && *p <= '9', "no value");
  for (; p < end && *p >= '0' && *p <= '9'; p++) {
    number = number * 10 + (uint64_t)(*p - '0');
    require(number <= UINT64_C(1) << 53, "a number beyond 2^53");
  }
  if (p < end && *p == '.') {
    for (p++; p < end && *p >= '0' && *p <= '9';) p++;
    require(p[-1] != '.', "a point without digits");
  }
  // Of an id, which comes back as it came.
  while (p < end && strchr("0123456789eE+-.", *p) != NULL && *p != 0) p++;
  return p;
}

// MARK: The device

// What firmware does inside of a function that carries something out.
static void meddle(bench *b) {
  if ((b->mood & LOGS) != 0) sl_log(&b->agent, "{ inside\xff");
  if ((b->mood & REPORTS) != 0) {
    const sl_field fields[] = {sl_ssid("\xff", 1), sl_join("device", NULL)};
    sl_event(&b->agent, "x.inside", fields, b->now % 3);
    if (b->now % 5 == 1) sl_finish(&b->agent, false, NULL);
    if (b->now % 5 == 2) sl_take_fault(&b->agent, "hang", "finish", NULL);
  }
  if ((b->mood & TICKS) != 0) sl_tick(&b->agent);
  if ((b->mood & RECEIVES) != 0) sl_receive(&b->agent, "{\"id\":1,\"method\":\"state\"}\n{", 27);
  if ((b->mood & LOSES) != 0 && b->now % 3 == 0) sl_link_reset(&b->agent);
  if ((b->mood & BOOTS) != 0 && b->now % 3 == 1) sl_init(&b->agent, &b->config, b->now);
}

static void send_bytes(void *context, const uint8_t *bytes, size_t count) {
  bench *b = context;
  require(count > 0 && count <= SL_RECORD_LIMIT + 12, "more was sent than a record may hold");
  require(bytes[count - 1] == '\n', "a record without its line feed");
  require(memchr(bytes, '\n', count - 1) == NULL, "a line feed inside of a record");
  uint32_t seen = crc(bytes, count);
  if (bytes[0] == 0x1E) {
    char sent[9] = {0}, right[9];
    require(count > 12 && bytes[1] == '{' && bytes[count - 12] == '}', "a record without a JSON object");
    memcpy(sent, bytes + count - 9, 8);
    snprintf(right, sizeof right, "%08x", crc(bytes + 1, count - 12));
    require(strcmp(sent, right) == 0, "a wrong checksum");
    for (size_t i = 1; i < count - 1; i++) require(bytes[i] >= 0x20, "a raw control byte in a record");
    require(json_value(bytes + 1, bytes + count - 11, 0) == bytes + count - 11, "something behind the JSON");
    memcpy(b->last, bytes + 1, count - 12);
    b->last[count - 12] = 0;
    const char *event = strstr(b->last, "\"name\":\"rtspAddressReceived\"");
    const char *address = event != NULL ? strstr(event, ",\"address\":") : NULL;
    if (strstr(b->last, "\"method\":\"event\"") != NULL && event != NULL) {
      size_t length = strlen(b->address);
      require(address != NULL ? strncmp(address + 11, b->address, length) == 0 && address[11 + length] == '}'
                              : strstr(event, ",\"cut\":true}}") != NULL,
              "a part of an address");
    }
    const char *d1 = strstr(b->last, "\"result\":{\"d1\":");
    if (d1 != NULL) require(strtoull(d1 + 15, NULL, 10) == b->now, "another time");
  } else {
    require(bytes[0] != '{', "a line of the log that looks like a record");
  }
  b->hash = b->hash * 31 + seen;
  b->sent++;
  if ((b->mood & SEND_REPORTS) != 0) {
    sl_log(&b->agent, "sent\x01");
    static const sl_error error = {"line", 1, "a message that is longer than need be"};
    sl_completion(&b->agent, "x.sent", b->now % 2 == 0 ? NULL : &error);
    if (b->now % 5 == 3) sl_finish(&b->agent, true, NULL);
    sl_tick(&b->agent);
    sl_receive(&b->agent, "\x1e{", 2);
    if ((b->mood & LOSES) != 0) sl_link_reset(&b->agent);
    require(crc(bytes, count) == seen, "a record changed while it was sent");
  }
}

static uint64_t now_us(void *context) {
  bench *b = context;
  if ((b->mood & CLOCK_REPORTS) != 0) {
    sl_log(&b->agent, "tick");
    sl_event(&b->agent, "x.clock", NULL, 0);
    sl_tick(&b->agent);
    sl_receive(&b->agent, "{", 1);
  }
  return b->now;
}

static int32_t start(void *context, const sl_start_request *request, const char **why) {
  bench *b = context;
  require(strlen(request->run) > 0 && strlen(request->run) <= SL_RUN, "a run id of a wrong length");
  require(request->default_params || request->bitrate == 0 || request->bitrate >= 250000, "a bit rate out of range");
  meddle(b);
  if (b->now % 7 == 3) {
    *why = "camera \"not\" available\n\xe2\x82";
    return SL_HARDWARE;
  }
  sl_event(&b->agent, "configureHotspotStarting", NULL, 0);
  return SL_ACCEPTED;
}

static void stop(void *context, const char *run, sl_stop_reason reason) {
  bench *b = context;
  require(strlen(run) > 0, "stop without a run");
  meddle(b);
  if (b->now % 3 == 0) sl_finish(&b->agent, reason == SL_STOP_ASKED, NULL);
}

static int32_t inject(void *context, const sl_fault *fault, const char **why) {
  bench *b = context;
  meddle(b);
  require(fault->id[0] == 'f' && fault->kind != NULL, "no fault");
  if (b->now % 7 != 4) return SL_ACCEPTED;
  *why = NULL;
  return SL_BUSY;
}

static void cleared(void *context) { meddle(context); }

static void reset(void *context, const char *level) {
  bench *b = context;
  (void)level;
  // A device's clock may begin anew with it.
  if (b->now % 2 == 1) b->now /= 2;
  sl_init(&b->agent, &b->config, b->now);
  meddle(b);
}

static void link_result(void *context, bool success) {
  bench *b = context;
  meddle(b);
  sl_completion(&b->agent, "deviceHotspotConnectCompletion", success ? NULL : &(sl_error){"link", 3, "no lease"});
}

static const char *const *not_ready(void *context) {
  static const char *const worn[] = {"worn", "batter\"y", NULL};
  bench *b = context;
  meddle(b);
  return b->now % 11 == 5 ? worn : NULL;
}

static const sl_fault_kind kinds[] = {
    {"flow", "hang", "finish"}, {"flow", "refuse", "finish"}, {"rtp", "drop", "play"}};
static const char *const list[] = {"rtsp-hotspot", "\xff\"", NULL};

static void set_up(bench *b, bool guarded) {
  memset(b, 0, sizeof *b);
  b->config = (sl_config){
      .model = "fuzz", .serial = "\x01\"\\\xc3", .flows = list, .caps = list, .faults = kinds, .fault_count = 3,
      .bitrate = {250000, 8000000}, .quality_factor = {0, 51}, .i_frame_interval = {4, 119}, .probe_host = "::1",
      .guarded = guarded, .context = b, .send = send_bytes, .now_us = now_us, .start = start, .stop = stop,
      .inject = inject, .cleared = cleared, .reset = reset, .link_result = link_result, .not_ready = not_ready};
  sl_init(&b->agent, &b->config, 0x0123456789abcdef);
}

// The JSON of a text, as the agent must write it.
static void quote(char *out, const char *text) {
  *out++ = '"';
  for (const uint8_t *p = (const uint8_t *)text, *end = p + strlen(text); p < end;) {
    size_t n = 1;
    uint32_t code = *p;
    if (*p >= 0x80) {
      n = *p >= 0xC2 && *p < 0xE0 ? 2 : *p >= 0xE0 && *p < 0xF0 ? 3 : *p >= 0xF0 && *p <= 0xF4 ? 4 : 0;
      code = n == 0 ? 0 : *p & (0x7Fu >> n);
      for (size_t i = 1; i < n; i++) {
        // At the end of the text stands a NUL.
        if ((p[i] & 0xC0) != 0x80) n = 0;
        else code = code << 6 | (p[i] & 0x3F);
      }
      if (n == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) n = 0;
      if (n == 4 && (code < 0x10000 || code > 0x10FFFF)) n = 0;
    }
    if (n == 0) {
      out += sprintf(out, "\\ufffd");
      p++;
    } else if (n == 1 && (*p < 0x20 || *p == 0x7F)) {
      out += sprintf(out, "\\u%04x", *p++);
    } else {
      if (*p == '"' || *p == '\\') *out++ = '\\';
      memcpy(out, p, n);
      out += n;
      p += n;
    }
  }
  memcpy(out, "\"", 2);
}

static void live(bench *b, uint8_t what, const uint8_t *text, size_t count) {
  char words[1500];
  size_t n = count < sizeof words - 1 ? count : sizeof words - 1;
  memcpy(words, text, n);
  words[n] = 0;
  const sl_error error = {words, -7, words};
  sl_fault fault;
  char argument[20];
  int64_t number = 0;
  sl_field fields[] = {sl_text(words, words), sl_integer("n", INT64_MIN), sl_ssid(text, count), sl_join("harness", words),
                       sl_error_field(&error), sl_bool("b", true)};
  int64_t before = b->agent.last_sequence, added = 0;
  switch (what % 16) {
    case 0:
      quote(b->address, words);
      fields[0].name = "address";
      sl_event(&b->agent, "rtspAddressReceived", fields, 1);
      added = 1;
      break;
    case 1:
      sl_event(&b->agent, words, fields, 6);
      added = 1;
      break;
    case 2:
      sl_completion(&b->agent, "sessionStartCompletion", count > 3 ? &error : NULL);
      added = 1;
      break;
    case 3: sl_finish(&b->agent, count > 2, count > 3 ? &error : NULL); break;
    case 4: sl_log(&b->agent, words); break;
    case 5:
      if (sl_take_fault(&b->agent, "hang", "finish", &fault)) {
        sl_fault_integer(&fault, "code", &number);
        sl_fault_text(&fault, "message", argument, sizeof argument);
      }
      break;
    case 7: {
      const sl_field free_texts[] = {
          sl_free_text("a", words), sl_text("ssidHex", "x"), sl_free_text("b", words), fields[2]};
      sl_event_at(&b->agent, UINT64_MAX - what, "x.free", free_texts, 4);
      added = 1;
      break;
    }
    case 8: sl_link_reset(&b->agent); break;
    case 9: sl_tick(&b->agent); break;
    case 10:
      for (int i = 0; i < SL_LOG_LINES; i++) sl_log(&b->agent, words);
      break;
    case 11: sl_init(&b->agent, &b->config, b->now); return;
    case 12:
      sl_event(&b->agent, "x.all", fields, 6);
      added = 1;
      break;
    default:
      // Many, and so of no great length.
      if (n > 40) words[40] = 0;
      for (int i = 0; i < 70; i++) sl_event(&b->agent, "x.many", fields, 6 - (size_t)i % 7);
      added = 70;
  }
  if (b->mood == 0 && added > 0) require(b->agent.last_sequence == before + added, "sequence numbers jump");
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

// Pages of an answer, to the last of them.
static int64_t read_pages(bench *b, const char *method, const char *parameter) {
  int64_t next = 0;
  for (;;) {
    char json[120], record[140];
    int length = snprintf(json, sizeof json, "{\"id\":\"page\",\"method\":\"%s\",\"params\":{\"%s\":%lld,\"max\":7}}",
                          method, parameter, (long long)next);
    length = snprintf(record, sizeof record, "\x1e%s *%08x\n", json, crc((const uint8_t *)json, (size_t)length));
    b->last[0] = 0;
    sl_receive(&b->agent, record, (size_t)length);
    const char *reply = strstr(b->last, "],\"next\":");
    require(strstr(b->last, "\"id\":\"page\",\"result\":{") != NULL && reply != NULL, "no page");
    int64_t reached = strtoll(reply + 9, NULL, 10);
    require(reached >= next, "a page leads back");
    if (reached == next) return next;
    next = reached;
  }
}

static void run(bench *b, const uint8_t *data, size_t size, bool drip) {
  const uint8_t hello[] = "\x1e{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}} *00000000\n";
  uint8_t record[sizeof hello + 12];
  memcpy(record, hello, sizeof hello);
  size_t json = sizeof hello - 1 - 12;
  snprintf((char *)record + 1 + json, 12, " *%08x\n", crc(record + 1, json));
  receive(b, record, 1 + json + 11, drip);
  uint8_t *held = NULL;
  size_t held_length = 0;
  while (size > 0) {
    const uint8_t *feed = memchr(data, '\n', size);
    size_t count = feed != NULL ? (size_t)(feed - data) + 1 : size;
    size_t body = feed != NULL ? count - 1 : count;
    if (data[0] == '!' && count > 1) {
      pass(b, (data[1] & 0x7F) * UINT64_C(100000));
    } else if (data[0] == '#') {
      sl_link_reset(&b->agent);
      receive(b, record, 1 + json + 11, drip);
    } else if (data[0] == '%' && count > 1) {
      b->mood = data[1];
      if ((b->mood & (CLOCK_REPORTS | LOSES)) != 0) b->unfair = true;
    } else if (data[0] == '@' && count > 1) {
      live(b, data[1], data + 2 < data + body ? data + 2 : data, body > 2 ? body - 2 : 0);
    } else if (data[0] == '=' || data[0] == '+') {
      uint8_t *whole = malloc(held_length + body + 12);
      if (held_length > 0) memcpy(whole, held, held_length);
      free(held);
      whole[held_length] = 0x1E;
      memcpy(whole + held_length + 1, data + 1, body - 1);
      snprintf((char *)whole + held_length + body, 12, " *%08x\n", crc(data + 1, body - 1));
      held_length += body + 11;
      held = whole;
      if (data[0] == '=') {
        receive(b, held, held_length, drip);
        held_length = 0;
      }
    } else {
      receive(b, data, count, drip);
    }
    look(&b->agent);
    data += count;
    size -= count;
    b->now += 1;
  }
  free(held);
  pass(b, 3000000);
  b->mood = 0;
  require(read_pages(b, "log", "since") == b->agent.log_next, "a part of the log cannot be read");
  require(read_pages(b, "events", "since") == b->agent.last_sequence, "events cannot be read");
  require(read_pages(b, "faults", "from") == 3, "faults cannot be read");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bench whole, dripped;
  bool guarded = size % 2 == 1;
  set_up(&whole, guarded);
  set_up(&dripped, guarded);
  run(&whole, data, size, false);
  run(&dripped, data, size, true);
  if (whole.unfair) return 0;
  require(whole.hash == dripped.hash && whole.sent == dripped.sent, "byte by byte it says something else");
  require(whole.agent.damaged == dripped.agent.damaged, "byte by byte something else is damaged");
  return 0;
}
