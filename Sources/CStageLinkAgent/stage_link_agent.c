// See stage_link_agent.h. In order: JSON that is read, JSON that is written, records, events, requests, time.
#include "stage_link_agent.h"

#include <string.h>

#if (SL_RECORD_LIMIT) < 512 || (SL_RECORD_LIMIT) > 4096
#error "SL_RECORD_LIMIT is 512 to 4096"
#endif
#if (SL_RING_EVENTS) < 64 || (SL_RING_EVENTS) > SIZE_MAX / 2
#error "SL_RING_EVENTS is at least 64, and at most half of what a size_t holds"
#endif
#if (SL_RING_BYTES) < (SL_RECORD_LIMIT) || (SL_RING_BYTES) > SIZE_MAX / 2
#error "SL_RING_BYTES is at least SL_RECORD_LIMIT, and at most half of what a size_t holds"
#endif
#if (SL_FAULTS) < 1 || (SL_FAULTS) > SIZE_MAX / 2
#error "SL_FAULTS is at least 1"
#endif
#if (SL_FAULT_ARGUMENTS) < 1 || (SL_FAULT_ARGUMENTS) > (SL_RECORD_LIMIT)
#error "SL_FAULT_ARGUMENTS is 1 to SL_RECORD_LIMIT"
#endif
#if (SL_LOG_LINES) < 1 || (SL_LOG_LINES) > SIZE_MAX / 2
#error "SL_LOG_LINES is at least 1"
#endif
#if (SL_LOG_LINE) < 2 || (SL_LOG_LINE) > (SL_RECORD_LIMIT)
#error "SL_LOG_LINE is 2 to SL_RECORD_LIMIT"
#endif

// The sizes as numbers of one type, whatever they were defined as: `20 * 1024` has no parentheses.
#define RECORD_LIMIT ((size_t)(SL_RECORD_LIMIT))
#define RING_EVENTS ((size_t)(SL_RING_EVENTS))
#define RING_BYTES ((size_t)(SL_RING_BYTES))
#define FAULTS ((size_t)(SL_FAULTS))
#define FAULT_ARGUMENTS ((size_t)(SL_FAULT_ARGUMENTS))
#define LOG_LINES ((size_t)(SL_LOG_LINES))
#define LOG_LINE ((size_t)(SL_LOG_LINE))

#define DEPTH 8
// What a double, and so the harness, holds exactly.
#define GREATEST_INTEGER INT64_C(9007199254740992)
#define RS 0x1E
#define SECOND UINT64_C(1000000)
// What a reply to `events` needs beside the events.
#define AROUND_EVENTS 240
// What ends a page: `],"next":…,"more":false}}`.
#define PAGE_END 50
#define EVENT_LIMIT (RECORD_LIMIT - AROUND_EVENTS)
// The same for an event that is reported while another record is being sent: it is built on the stack.
#define SMALL_EVENT_LIMIT 272

// MARK: JSON that is read

// A value in a record that was found well-formed.
typedef struct {
  const char *at, *end;
} slice;

static const slice nothing = {NULL, NULL};

static const char *skip_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
  return p;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The length of the UTF-8 sequence at `p` (RFC 3629, section 4); 0: it is none.
static size_t utf8_length(const char *p, const char *end) {
  const uint8_t *b = (const uint8_t *)p;
  size_t left = (size_t)(end - p);
  if (left == 0) return 0;
  if (b[0] < 0x80) return 1;
  size_t n = b[0] >= 0xC2 && b[0] <= 0xDF ? 2 : b[0] >= 0xE0 && b[0] <= 0xEF ? 3 : b[0] >= 0xF0 && b[0] <= 0xF4 ? 4 : 0;
  if (n == 0 || left < n) return 0;
  for (size_t i = 1; i < n; i++) {
    if ((b[i] & 0xC0) != 0x80) return 0;
  }
  if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F)) return 0;
  if ((b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F)) return 0;
  return n;
}

// Each `check_` function gives the end of what is well-formed at `p`, or NULL.

static const char *check_string(const char *p, const char *end) {
  for (p++; p < end;) {
    if (*p == '"') return p + 1;
    if ((uint8_t)*p < 0x20) return NULL;
    if (*p != '\\') {
      size_t n = utf8_length(p, end);
      if (n == 0) return NULL;
      p += n;
      continue;
    }
    if (++p == end) return NULL;
    if (*p == 'u') {
      for (int i = 1; i <= 4; i++) {
        if (end - p <= i || hex_digit(p[i]) < 0) return NULL;
      }
      p += 5;
    } else {
      if (*p == 0 || memchr("\"\\/bfnrt", *p, 8) == NULL) return NULL;
      p++;
    }
  }
  return NULL;
}

static const char *check_digits(const char *p, const char *end) {
  if (p == end || !is_digit(*p)) return NULL;
  while (p < end && is_digit(*p)) p++;
  return p;
}

static const char *check_number(const char *p, const char *end) {
  if (*p == '-') p++;
  const char *digits = p;
  p = check_digits(p, end);
  if (p == NULL || (*digits == '0' && p - digits > 1)) return NULL;
  bool whole = true;
  const char *last = p;
  if (p < end && *p == '.') {
    whole = false;
    p = check_digits(p + 1, end);
    if (p == NULL) return NULL;
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    whole = false;
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    p = check_digits(p, end);
    if (p == NULL) return NULL;
  }
  uint64_t value = 0;
  for (; whole && digits < last; digits++) {
    value = value * 10 + (uint64_t)(*digits - '0');
    if (value > (uint64_t)GREATEST_INTEGER) return NULL;
  }
  return p;
}

static const char *check_word(const char *p, const char *end, const char *word) {
  size_t n = strlen(word);
  return (size_t)(end - p) >= n && memcmp(p, word, n) == 0 ? p + n : NULL;
}

static const char *check_value(const char *p, const char *end, int depth) {
  if (p == end) return NULL;
  switch (*p) {
    case '"': return check_string(p, end);
    case 't': return check_word(p, end, "true");
    case 'f': return check_word(p, end, "false");
    case 'n': return check_word(p, end, "null");
    case '{':
    case '[': break;
    default: return *p == '-' || is_digit(*p) ? check_number(p, end) : NULL;
  }
  if (depth == DEPTH) return NULL;
  char close = *p == '{' ? '}' : ']';
  p = skip_space(p + 1, end);
  if (p < end && *p == close) return p + 1;
  for (;;) {
    if (close == '}') {
      if (p == end || *p != '"') return NULL;
      p = check_string(p, end);
      if (p == NULL) return NULL;
      p = skip_space(p, end);
      if (p == end || *p != ':') return NULL;
      p = skip_space(p + 1, end);
    }
    p = check_value(p, end, depth + 1);
    if (p == NULL) return NULL;
    p = skip_space(p, end);
    if (p == end) return NULL;
    if (*p == close) return p + 1;
    if (*p != ',') return NULL;
    p = skip_space(p + 1, end);
  }
}

// The end of the well-formed value at `p`.
static const char *skip_value(const char *p, const char *end) {
  int depth = 0;
  bool quoted = false;
  for (; p < end; p++) {
    if (quoted) {
      if (*p == '\\') {
        p++;
      } else if (*p == '"') {
        quoted = false;
        if (depth == 0) return p + 1;
      }
    } else if (*p == '"') {
      quoted = true;
    } else if (*p == '{' || *p == '[') {
      depth++;
    } else if (*p == '}' || *p == ']') {
      if (depth == 0) return p;
      if (--depth == 0) return p + 1;
    } else if (depth == 0 && (*p == ',' || *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
      return p;
    }
  }
  return p < end ? p : end;
}

static uint32_t hex4(const char *p) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value = value << 4 | (uint32_t)hex_digit(p[i]);
  return value;
}

// Takes one character of a well-formed string off `*p`, and gives its UTF-8.
static size_t next_character(const char **p, const char *end, char out[4]) {
  const char *q = *p;
  if (*q != '\\') {
    size_t n = utf8_length(q, end);
    memcpy(out, q, n);
    *p = q + n;
    return n;
  }
  *p = q + 2;
  switch (q[1]) {
    case 'b': out[0] = '\b'; return 1;
    case 'f': out[0] = '\f'; return 1;
    case 'n': out[0] = '\n'; return 1;
    case 'r': out[0] = '\r'; return 1;
    case 't': out[0] = '\t'; return 1;
    case 'u': break;
    default: out[0] = q[1]; return 1;
  }
  uint32_t code = hex4(q + 2);
  *p = q + 6;
  if ((code & 0xFC00) == 0xD800 && end - q >= 12 && q[6] == '\\' && q[7] == 'u' && (hex4(q + 8) & 0xFC00) == 0xDC00) {
    code = 0x10000 + ((code & 0x3FF) << 10 | (hex4(q + 8) & 0x3FF));
    *p = q + 12;
  }
  // A lone surrogate is no character.
  if ((code & 0xFFFFF800) == 0xD800) code = 0xFFFD;
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)((n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0) | code);
  return n;
}

// Decodes a string. False where the value is none, or does not fit with a NUL behind it, or has a NUL in it.
static bool get_text(slice value, char *out, size_t capacity) {
  if (value.at == NULL || *value.at != '"') return false;
  const char *p = value.at + 1, *end = value.end - 1;
  size_t used = 0;
  while (p < end) {
    char c[4];
    size_t n = next_character(&p, end, c);
    if (used + n >= capacity || c[0] == 0) return false;
    memcpy(out + used, c, n);
    used += n;
  }
  out[used] = 0;
  return true;
}

static bool equals(slice value, const char *text) {
  if (value.at == NULL || *value.at != '"' || text == NULL) return false;
  const char *p = value.at + 1, *end = value.end - 1;
  size_t left = strlen(text);
  while (p < end) {
    char c[4];
    size_t n = next_character(&p, end, c);
    if (n > left || memcmp(c, text, n) != 0) return false;
    text += n;
    left -= n;
  }
  return left == 0;
}

// A member of an object; `nothing` where there is none.
static slice get(slice object, const char *key) {
  if (object.at == NULL || *object.at != '{') return nothing;
  const char *p = skip_space(object.at + 1, object.end);
  while (p < object.end && *p == '"') {
    slice name = {p, skip_value(p, object.end)};
    p = skip_space(name.end, object.end);
    p = skip_space(p + 1, object.end);
    slice value = {p, skip_value(p, object.end)};
    if (equals(name, key)) return value;
    p = skip_space(value.end, object.end);
    if (p < object.end && *p == ',') p = skip_space(p + 1, object.end);
  }
  return nothing;
}

static bool get_integer(slice value, int64_t *out) {
  if (value.at == NULL || value.at == value.end) return false;
  bool negative = *value.at == '-';
  const char *p = value.at + negative;
  if (p == value.end) return false;
  // The record was checked: what consists of digits is within ±2^53.
  int64_t number = 0;
  for (; p < value.end; p++) {
    if (!is_digit(*p)) return false;
    number = number * 10 + (*p - '0');
  }
  *out = negative ? -number : number;
  return true;
}

// A number in millionths, without floating point. False where it is none, or beyond ±10^15 millionths.
static bool get_millionths(slice value, int64_t *out) {
  if (value.at == NULL || (*value.at != '-' && !is_digit(*value.at))) return false;
  bool negative = *value.at == '-';
  const char *p = value.at + negative;
  int64_t number = 0;
  int scale = 0;
  bool fraction = false;
  for (; p < value.end && (is_digit(*p) || *p == '.'); p++) {
    if (*p == '.') {
      fraction = true;
    } else if (number < 100000000000000) {
      number = number * 10 + (*p - '0');
      scale -= fraction;
    } else {
      // Digits that no parameter needs.
      scale += !fraction;
    }
  }
  if (p < value.end && (*p == 'e' || *p == 'E')) {
    p++;
    bool down = *p == '-';
    if (*p == '-' || *p == '+') p++;
    int exponent = 0;
    for (; p < value.end && is_digit(*p); p++) {
      // Within 16 bits, with the digits of a whole record added.
      if (exponent < 1000) exponent = exponent * 10 + (*p - '0');
    }
    scale += down ? -exponent : exponent;
  }
  for (scale += 6; scale < 0 && number != 0; scale++) number /= 10;
  for (; scale > 0 && number != 0; scale--) {
    if (number > 100000000000000) return false;
    number *= 10;
  }
  *out = negative ? -number : number;
  return true;
}

static bool contains_integer(slice array, int64_t wanted) {
  if (array.at == NULL || *array.at != '[') return false;
  const char *p = skip_space(array.at + 1, array.end);
  while (p < array.end && *p != ']') {
    slice value = {p, skip_value(p, array.end)};
    int64_t number = 0;
    if (get_integer(value, &number) && number == wanted) return true;
    p = skip_space(value.end, array.end);
    if (p < array.end && *p == ',') p = skip_space(p + 1, array.end);
  }
  return false;
}

// MARK: JSON that is written

typedef struct {
  char *text;
  size_t used, capacity;
  // Something found no room: what stands there is of no use.
  bool full;
  // Something is missing in what stands there: a member was left out, or a free text was cut.
  bool cut;
  // The most bytes that each free text may take, and how many there were.
  size_t budget, free_texts;
} writer;

static writer writer_on(char *text, size_t capacity) {
  writer w = {text, 0, capacity, false, false, SIZE_MAX, 0};
  return w;
}

// Whether so many bytes find room yet.
static bool has_room(const writer *w, size_t count) { return !w->full && w->capacity - w->used >= count; }

static void put_bytes(writer *w, const char *bytes, size_t count) {
  if (!has_room(w, count)) {
    w->full = true;
    return;
  }
  memcpy(w->text + w->used, bytes, count);
  w->used += count;
}

static void put(writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static void put_integer(writer *w, int64_t value) {
  char digits[20];
  size_t at = sizeof digits;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do digits[--at] = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0) put(w, "-");
  put_bytes(w, digits + at, sizeof digits - at);
}

static void put_hex(writer *w, uint32_t value, int digits) {
  while (digits-- > 0) {
    char c = "0123456789abcdef"[value >> (4 * digits) & 0xF];
    put_bytes(w, &c, 1);
  }
}

// Takes the character at `*p` off, and gives its JSON. A byte that is not UTF-8 becomes U+FFFD.
static size_t escape(const char **p, const char *end, char out[6]) {
  size_t n = utf8_length(*p, end);
  uint8_t c = (uint8_t)**p;
  if (n > 1 || (n == 1 && c >= 0x20 && c != 0x7F && c != '"' && c != '\\')) {
    memcpy(out, *p, n);
    *p += n;
    return n;
  }
  ++*p;
  if (n == 1 && c >= 0x20 && c != 0x7F) {
    out[0] = '\\';
    out[1] = (char)c;
    return 2;
  }
  memcpy(out, "\\ufffd", 6);
  if (n == 0) return 6;
  memcpy(out + 2, "00", 2);
  out[4] = "0123456789abcdef"[c >> 4];
  out[5] = "0123456789abcdef"[c & 0xF];
  return 6;
}

// What stands between the quotes of a string, in at most `budget` bytes. False: that was not all of it.
static bool put_characters(writer *w, const char *text, size_t length, size_t budget) {
  if (text == NULL) return true;
  const char *end = text + length;
  while (text < end) {
    char json[6];
    size_t n = escape(&text, end, json);
    if (n > budget) return false;
    budget -= n;
    put_bytes(w, json, n);
  }
  return true;
}

static size_t length_of(const char *text) { return text != NULL ? strlen(text) : 0; }

// A string; NULL is an empty one.
static void put_string(writer *w, const char *text) {
  put(w, "\"");
  put_characters(w, text, length_of(text), SIZE_MAX);
  put(w, "\"");
}

// A string for people, of which a part is worth something: it keeps to the writer's budget.
static void put_free_text(writer *w, const char *text) {
  put(w, "\"");
  if (!put_characters(w, text, length_of(text), w->budget)) w->cut = true;
  put(w, "\"");
  w->free_texts++;
}

static void put_member(writer *w, const char *name, const char *text) {
  put_string(w, name);
  put(w, ":");
  put_string(w, text);
}

static void put_list(writer *w, const char *const *texts) {
  put(w, "[");
  for (size_t i = 0; texts != NULL && texts[i] != NULL; i++) {
    if (i > 0) put(w, ",");
    put_string(w, texts[i]);
  }
  put(w, "]");
}

static void put_bool(writer *w, bool value) { put(w, value ? "true" : "false"); }

static bool is_exact(int64_t number) { return number >= -GREATEST_INTEGER && number <= GREATEST_INTEGER; }

static void put_error(writer *w, const sl_error *error) {
  if (error == NULL) {
    put(w, "null");
    return;
  }
  put(w, "{");
  put_member(w, "domain", error->domain);
  if (is_exact(error->code)) {
    put(w, ",\"code\":");
    put_integer(w, error->code);
  } else {
    w->cut = true;
  }
  put(w, ",\"message\":");
  put_free_text(w, error->message);
  put(w, "}");
}

static void put_time(writer *w, uint64_t t_us) {
  put_integer(w, t_us < (uint64_t)GREATEST_INTEGER ? (int64_t)t_us : GREATEST_INTEGER);
}

// A number of millionths, such as 2500000 as 2.5.
static void put_millionths(writer *w, int64_t value) {
  if (value < 0) {
    put(w, "-");
    value = -value;
  }
  put_integer(w, value / 1000000);
  int64_t rest = value % 1000000;
  if (rest == 0) return;
  char digits[7];
  size_t used = 0;
  digits[used++] = '.';
  for (int64_t unit = 100000; rest > 0; unit /= 10) {
    digits[used++] = (char)('0' + rest / unit);
    rest %= unit;
  }
  put_bytes(w, digits, used);
}

// MARK: Records

static uint32_t crc32(const char *bytes, size_t count) {
  static const uint32_t table[16] = {
      0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
      0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  uint32_t crc = 0xFFFFFFFF;
  for (size_t i = 0; i < count; i++) {
    crc ^= (uint8_t)bytes[i];
    crc = table[crc & 0xF] ^ crc >> 4;
    crc = table[crc & 0xF] ^ crc >> 4;
  }
  return ~crc;
}

static uint64_t now(sl_agent *agent) {
  // The clock asks us for the time: it gets what it said last.
  if (agent->asking) return agent->time;
  agent->asking = true;
  uint64_t at = agent->config->now_us(agent->config->context);
  agent->asking = false;
  agent->time = at;
  return at;
}

// The time that has passed; none where the clock was set back.
static uint64_t since(uint64_t then, uint64_t at) { return at > then ? at - then : 0; }

// A writer for the JSON of the record that is sent next. Until it is, none of the firmware's functions is called: each
// of them may report and log, which builds another record in the same place.
static writer record(sl_agent *agent) { return writer_on(agent->out + 1, RECORD_LIMIT); }

static void send_out(sl_agent *agent, size_t count) {
  agent->sending = true;
  agent->config->send(agent->config->context, (const uint8_t *)agent->out, count);
  agent->sending = false;
}

static void send_record(sl_agent *agent, const writer *json) {
  if (json->full) return;
  agent->out[0] = RS;
  writer w = writer_on(agent->out + 1 + json->used, 11);
  put(&w, " *");
  put_hex(&w, crc32(agent->out + 1, json->used), 8);
  put(&w, "\n");
  send_out(agent, 1 + json->used + w.used);
}

// `id` of a reply. A request of before a boot or of another channel gets none.
static void put_id(writer *w, const sl_agent *agent, slice id) {
  if (!agent->handling || agent->link_lost) w->full = true;
  put_bytes(w, id.at, (size_t)(id.end - id.at));
}

static writer reply(sl_agent *agent, slice id) {
  writer w = record(agent);
  put(&w, "{\"jsonrpc\":\"2.0\",\"id\":");
  put_id(&w, agent, id);
  put(&w, ",\"result\":");
  return w;
}

static const char *word(int32_t code) {
  switch (code) {
    case SL_PARSE_ERROR: return "parse error";
    case SL_INVALID_REQUEST: return "invalid request";
    case SL_METHOD_NOT_FOUND: return "unknown method";
    case SL_INVALID_PARAMS: return "invalid params";
    case SL_BUSY: return "busy";
    case SL_BAD_STATE: return "bad state";
    case SL_UNSUPPORTED: return "unsupported";
    case SL_BAD_PARAM: return "bad parameter";
    case SL_UNKNOWN_FAULT: return "unknown fault";
    case SL_NOT_READY: return "not ready";
    case SL_HARDWARE: return "hardware";
    case SL_TOO_LARGE: return "too large";
    case SL_VERSION: return "version";
    default: return "refused";
  }
}

// The beginning of an error reply, up to where `,"data":…` may stand; `}}` ends it. `id` may be `nothing`.
static writer refusal(sl_agent *agent, slice id, int32_t code, const char *why) {
  writer w = record(agent);
  w.budget = 100;
  put(&w, "{\"jsonrpc\":\"2.0\",\"id\":");
  if (id.at == NULL) {
    put(&w, "null");
  } else {
    put_id(&w, agent, id);
  }
  put(&w, ",\"error\":{\"code\":");
  put_integer(&w, code);
  put(&w, ",\"message\":");
  put_free_text(&w, why != NULL ? why : word(code));
  return w;
}

static void refuse(sl_agent *agent, slice id, int32_t code, const char *why) {
  writer w = refusal(agent, id, code, why);
  put(&w, "}}");
  send_record(agent, &w);
}

// Ends a reply, or says that it does not fit a record.
static void send_reply(sl_agent *agent, slice id, writer *w) {
  put(w, "}");
  if (w->full) {
    refuse(agent, id, SL_TOO_LARGE, "the reply exceeds the record limit");
  } else {
    send_record(agent, w);
  }
}

static void accept(sl_agent *agent, slice id) {
  writer w = reply(agent, id);
  put(&w, "{\"accepted\":true}");
  send_reply(agent, id, &w);
}

static void damage(sl_agent *agent, int32_t code, const char *why) {
  agent->damaged++;
  // Before the greeting, what is on the line may be the rest of something old.
  if (agent->greeted) refuse(agent, nothing, code, why);
}

static void handle(sl_agent *agent, slice request);

static bool looks_like_record(const sl_agent *agent) {
  return agent->line[0] == RS || (!agent->config->guarded && agent->line[0] == '{');
}

static void end_line(sl_agent *agent) {
  if (agent->line_length == 0 || !looks_like_record(agent)) return;
  const char *p = agent->line, *end = agent->line + agent->line_length;
  if (*p == RS) p++;
  while (end > p && (end[-1] == '\r' || end[-1] == ' ')) end--;
  if (end - p > 10 && end[-10] == ' ' && end[-9] == '*') {
    uint32_t sent = 0;
    bool hex = true;
    for (int i = -8; i < 0; i++) {
      int digit = hex_digit(end[i]);
      hex = hex && digit >= 0;
      sent = sent << 4 | ((uint32_t)digit & 0xF);
    }
    end -= 10;
    if (!hex || sent != crc32(p, (size_t)(end - p))) {
      damage(agent, SL_PARSE_ERROR, "bad checksum");
      return;
    }
  } else if (agent->config->guarded) {
    damage(agent, SL_PARSE_ERROR, "no checksum where the channel requires one");
    return;
  }
  if ((size_t)(end - p) > RECORD_LIMIT) {
    damage(agent, SL_TOO_LARGE, NULL);
    return;
  }
  const char *begin = skip_space(p, end);
  const char *stop = check_value(begin, end, 0);
  if (stop == NULL || skip_space(stop, end) != end || *begin != '{') {
    damage(agent, SL_PARSE_ERROR, "not a JSON object");
    return;
  }
  slice request = {begin, stop};
  agent->handling = true;
  handle(agent, request);
  agent->handling = false;
}

static void drop_stale(sl_agent *agent, uint64_t at) {
  // The line at hand is whole while its request is carried out, however long that takes.
  if (agent->handling || agent->line_length == 0 || since(agent->line_began, at) <= SECOND) return;
  bool damaged = looks_like_record(agent);
  agent->line_length = 0;
  if (damaged) damage(agent, SL_PARSE_ERROR, "no line feed for 1 s");
}

// A clock that was set back must not hold up what waits for it.
static void keep_up(sl_agent *agent, uint64_t at) {
  if (agent->next_heartbeat > at + SECOND) agent->next_heartbeat = at + SECOND;
  if (agent->last_heard > at) agent->last_heard = at;
  if (agent->line_began > at) agent->line_began = at;
}

void sl_receive(sl_agent *agent, const void *bytes, size_t count) {
  // Inside of a function that we called: `line` is in use.
  if (agent->handling || agent->sending || agent->asking) {
    if (count > 0) agent->damaged++;
    return;
  }
  const char *p = bytes;
  uint64_t at = now(agent);
  keep_up(agent, at);
  agent->link_lost = false;
  drop_stale(agent, at);
  // A reset, which begins a boot in the middle of these bytes, sets it anew.
  agent->received_at = at;
  // What is left of a channel that was lost is no part of the next one.
  for (size_t i = 0; i < count && !agent->link_lost; i++) {
    if (p[i] == '\n') {
      bool whole = !agent->skipping;
      agent->skipping = false;
      if (whole) end_line(agent);
      agent->line_length = 0;
      continue;
    }
    if (agent->skipping) {
      // A new record may begin inside the line that is thrown away.
      if (p[i] != RS) continue;
      agent->skipping = false;
    }
    if (p[i] == RS && agent->line_length > 0) {
      bool damaged = looks_like_record(agent) && agent->line_length > 1;
      agent->line_length = 0;
      if (damaged) damage(agent, SL_PARSE_ERROR, "cut short by the next record");
      if (agent->link_lost) return;
    }
    if (agent->line_length == 0) agent->line_began = agent->received_at;
    agent->line[agent->line_length++] = p[i];
    // RS, JSON, space, star, checksum and perhaps a carriage return.
    if (agent->line_length > RECORD_LIMIT + 12) {
      bool damaged = looks_like_record(agent);
      agent->line_length = 0;
      agent->skipping = true;
      if (damaged) damage(agent, SL_TOO_LARGE, NULL);
    }
  }
}

// MARK: Events

static void ring_add(sl_agent *agent, const char *text, size_t length) {
  while (agent->ring_count == RING_EVENTS || RING_BYTES - agent->ring_used < length) {
    size_t oldest = agent->ring_lengths[agent->ring_first];
    agent->ring_begin = (agent->ring_begin + oldest) % RING_BYTES;
    agent->ring_used -= oldest;
    agent->ring_first = (agent->ring_first + 1) % RING_EVENTS;
    agent->ring_count--;
  }
  size_t at = (agent->ring_begin + agent->ring_used) % RING_BYTES;
  size_t straight = length < RING_BYTES - at ? length : RING_BYTES - at;
  memcpy(agent->ring + at, text, straight);
  memcpy(agent->ring, text + straight, length - straight);
  agent->ring_lengths[(agent->ring_first + agent->ring_count) % RING_EVENTS] = (uint16_t)length;
  agent->ring_used += length;
  agent->ring_count++;
}

static void put_from_ring(writer *w, const sl_agent *agent, size_t at, size_t length) {
  size_t straight = length < RING_BYTES - at ? length : RING_BYTES - at;
  put_bytes(w, agent->ring + at, straight);
  put_bytes(w, agent->ring, length - straight);
}

static bool is_utf8(const char *text, size_t length) {
  const char *end = text + length;
  for (size_t n; text < end; text += n) {
    n = utf8_length(text, end);
    if (n == 0) return false;
  }
  return true;
}

static bool same(const char *a, const char *b) { return a != NULL && b != NULL && strcmp(a, b) == 0; }

static bool has_plain_ssid(const sl_field *field) { return field->text == NULL || is_utf8(field->text, field->length); }

static const char *field_name(const sl_field *field) {
  switch (field->kind) {
    case SL_SSID: return has_plain_ssid(field) ? "ssid" : "ssidHex";
    case SL_JOIN: return "join";
    default: return field->name != NULL ? field->name : "";
  }
}

// Whether JSON can hold the member beside the others: each name stands there once, and as it is.
static bool has_good_name(const sl_field *fields, size_t i) {
  static const char *const taken[] = {"seq", "boot", "run", "t", "name", "src", "cut"};
  const char *name = field_name(&fields[i]);
  if (!is_utf8(name, strlen(name))) return false;
  for (size_t j = 0; j < sizeof taken / sizeof *taken; j++) {
    if (strcmp(name, taken[j]) == 0) return false;
  }
  for (size_t j = 0; j < i; j++) {
    if (strcmp(name, field_name(&fields[j])) == 0) return false;
  }
  return true;
}

static bool has_good_value(const sl_field *field) {
  if (field->kind == SL_INTEGER) return is_exact(field->number);
  return field->kind != SL_SSID || field->text == NULL || field->length <= 32;
}

static void put_field(writer *w, const sl_field *field) {
  put(w, ",");
  put_string(w, field_name(field));
  put(w, ":");
  switch (field->kind) {
    case SL_TEXT: put_string(w, field->text); break;
    case SL_FREE_TEXT: put_free_text(w, field->text); break;
    case SL_INTEGER: put_integer(w, field->number); break;
    case SL_BOOL: put_bool(w, field->number != 0); break;
    case SL_ERROR: put_error(w, field->error); break;
    case SL_SSID:
      put(w, "\"");
      if (has_plain_ssid(field)) {
        put_characters(w, field->text, field->length, SIZE_MAX);
      } else {
        for (size_t i = 0; i < field->length; i++) put_hex(w, (uint8_t)field->text[i], 2);
      }
      put(w, "\"");
      break;
    case SL_JOIN:
      put(w, "{");
      put_member(w, "by", field->name);
      // A key that is not text would come out as another key.
      if (field->text != NULL && is_utf8(field->text, strlen(field->text))) {
        put(w, ",");
        put_member(w, "key", field->text);
      } else if (field->text != NULL) {
        w->cut = true;
      }
      put(w, "}");
      break;
  }
}

static bool is_claim(const char *name) { return name[0] == 'x' && name[1] == '.'; }

typedef struct {
  uint64_t t_us;
  const char *name;
  const sl_field *fields;
  size_t count;
} event;

static writer event_head(const sl_agent *agent, const event *e, const char *source, char *at, size_t capacity) {
  writer w = writer_on(at, capacity);
  put(&w, "{\"seq\":");
  put_integer(&w, agent->last_sequence);
  put(&w, ",");
  put_member(&w, "boot", agent->boot);
  put(&w, ",\"run\":");
  if (agent->run[0] != 0) {
    put_string(&w, agent->run);
  } else {
    put(&w, "null");
  }
  put(&w, ",\"t\":");
  put_time(&w, e->t_us);
  put(&w, ",");
  put_member(&w, "name", e->name);
  put(&w, ",");
  put_member(&w, "src", source);
  return w;
}

// An event of which each free text takes at most `budget` bytes, and each member that cannot be whole is left out.
// `tail` bytes are kept for its end.
static writer event_json(
    const sl_agent *agent, const event *e, char *at, size_t capacity, size_t budget, size_t tail) {
  const char *source = agent->config->source;
  writer w = event_head(agent, e, is_claim(e->name) || source == NULL ? "fw" : source, at, capacity);
  size_t count = e->count;
  if (!has_room(&w, tail)) {
    // Not even its name fits: number it, so that no gap shows, and say no more.
    const event unnamed = {e->t_us, "x.cut", NULL, 0};
    w = event_head(agent, &unnamed, "fw", at, capacity);
    w.cut = true;
    count = 0;
  }
  w.budget = budget;
  for (size_t i = 0; i < count; i++) {
    writer before = w;
    if (has_good_name(e->fields, i) && has_good_value(&e->fields[i])) {
      put_field(&w, &e->fields[i]);
      if (has_room(&w, tail)) continue;
    }
    w = before;
    w.cut = true;
  }
  if (w.cut) put(&w, ",\"cut\":true");
  put(&w, "}");
  return w;
}

static writer event_that_fits(const sl_agent *agent, const event *e, char *at, size_t capacity) {
  static const size_t tail = sizeof ",\"cut\":true}" - 1;
  writer w = event_json(agent, e, at, capacity, SIZE_MAX, 1);
  if (!w.cut) return w;
  // What is too large is said again without its free texts, which then share the room that is left.
  w = event_json(agent, e, at, capacity, 0, tail);
  size_t each = w.free_texts > 0 ? (capacity - w.used) / w.free_texts : 0;
  return each > 0 ? event_json(agent, e, at, capacity, each, tail) : w;
}

int64_t sl_event_at(sl_agent *agent, uint64_t t_us, const char *name, const sl_field *fields, size_t count) {
  static const char before[] = "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":";
  const event e = {t_us, name != NULL ? name : "", fields, count};
  agent->last_sequence++;
  if (agent->sending) {
    // `out` is in use. What is only kept is asked for: its number is missing at the harness.
    char small[SMALL_EVENT_LIMIT];
    writer w = event_that_fits(agent, &e, small, sizeof small);
    ring_add(agent, small, w.used);
    return agent->last_sequence;
  }
  char *params = agent->out + 1 + sizeof before - 1;
  writer w = event_that_fits(agent, &e, params, EVENT_LIMIT);
  ring_add(agent, params, w.used);
  int64_t sequence = agent->last_sequence;
  if (agent->greeted) {
    memcpy(agent->out + 1, before, sizeof before - 1);
    writer whole = record(agent);
    whole.used = sizeof before - 1 + w.used;
    put(&whole, "}");
    send_record(agent, &whole);
  }
  return sequence;
}

int64_t sl_event(sl_agent *agent, const char *name, const sl_field *fields, size_t count) {
  return sl_event_at(agent, now(agent), name, fields, count);
}

int64_t sl_completion(sl_agent *agent, const char *name, const sl_error *error) {
  uint64_t t = now(agent);
  if (error == NULL && agent->state == SL_STARTING && same(name, "sessionStartCompletion")) {
    agent->state = SL_STREAMING;
  }
  sl_field fields[2] = {sl_bool("success", error == NULL), sl_error_field(error)};
  return sl_event_at(agent, t, name, fields, error == NULL ? 1 : 2);
}

void sl_finish(sl_agent *agent, bool user_stopped, const sl_error *error) {
  if (agent->run[0] == 0 || agent->finishing) return;
  sl_field fields[2] = {sl_bool("userStopped", user_stopped), sl_error_field(error)};
  // A line that fails under this event may be the reason to call this again.
  agent->finishing = true;
  sl_event(agent, "sessionFinish", fields, error == NULL ? 1 : 2);
  agent->finishing = false;
  memcpy(agent->last_run, agent->run, sizeof agent->run);
  agent->run[0] = 0;
  agent->state = SL_IDLE;
  agent->owner_gone = false;
  agent->fault_count = 0;
}

// MARK: Requests

static const char *state_name(sl_state state) {
  switch (state) {
    case SL_STARTING: return "starting";
    case SL_STREAMING: return "streaming";
    case SL_STOPPING: return "stopping";
    default: return "idle";
  }
}

// Why no run can start; NULL: it can. The firmware's function, so before a reply is begun.
static const char *const *not_ready(const sl_agent *agent) {
  const char *const *reasons =
      agent->config->not_ready != NULL ? agent->config->not_ready(agent->config->context) : NULL;
  return reasons != NULL && reasons[0] != NULL ? reasons : NULL;
}

// As many as there is room for, if what ends the record behind them is short.
static void put_reasons(writer *w, const char *const *reasons) {
  bool first = true;
  put(w, "\"reasons\":[");
  for (size_t i = 0; reasons != NULL && reasons[i] != NULL; i++) {
    writer before = *w;
    if (!first) put(w, ",");
    put_string(w, reasons[i]);
    if (has_room(w, 20)) {
      first = false;
    } else {
      *w = before;
      w->cut = true;
    }
  }
  put(w, w->cut ? "],\"cut\":true" : "]");
}

// The last member of its reply.
static void put_ready(writer *w, const char *const *reasons) {
  put(w, ",\"ready\":{\"ok\":");
  put_bool(w, reasons == NULL);
  put(w, ",");
  put_reasons(w, reasons);
  put(w, "}");
}

static void put_run(writer *w, const sl_agent *agent) {
  put(w, ",\"run\":");
  if (agent->run[0] != 0) {
    put_string(w, agent->run);
  } else {
    put(w, "null");
  }
}

static void put_layers(writer *w, const sl_config *config) {
  put(w, "[");
  for (size_t i = 0; i < config->fault_count; i++) {
    bool seen = false;
    for (size_t j = 0; j < i && !seen; j++) seen = same(config->faults[j].layer, config->faults[i].layer);
    if (seen) continue;
    if (i > 0) put(w, ",");
    put_string(w, config->faults[i].layer);
  }
  put(w, "]");
}

// In millionths, and no more than an integer holds: a range may be open.
static void put_bound(writer *w, int64_t bound, int64_t unit) {
  int64_t most = GREATEST_INTEGER / unit;
  put_millionths(w, (bound > most ? most : bound < -most ? -most : bound) * unit);
}

static void put_range(writer *w, const char *name, sl_range range, int64_t unit, bool *any) {
  if (range.most <= 0) return;
  put(w, *any ? "," : ",\"params\":{");
  *any = true;
  put_string(w, name);
  put(w, ":[");
  put_bound(w, range.least, unit);
  put(w, ",");
  put_bound(w, range.most, unit);
  put(w, "]");
}

static void hello(sl_agent *agent, slice id, slice params) {
  const sl_config *config = agent->config;
  if (!contains_integer(get(params, "v"), 1)) {
    writer w = refusal(agent, id, SL_VERSION, NULL);
    put(&w, ",\"data\":{\"v\":[1]}}}");
    send_record(agent, &w);
    return;
  }
  slice nonce = get(params, "nonce");
  if (nonce.at == NULL || *nonce.at != '"') {
    refuse(agent, id, SL_INVALID_PARAMS, "nonce");
    return;
  }
  const char *const *reasons = not_ready(agent);
  uint64_t at = now(agent);
  // A boot in there took the request along.
  if (!agent->handling) return;
  writer w = reply(agent, id);
  put(&w, "{\"v\":1,\"nonce\":");
  put_bytes(&w, nonce.at, (size_t)(nonce.end - nonce.at));
  put(&w, ",");
  put_member(&w, "boot", agent->boot);
  put(&w, ",\"agent\":{");
  put_member(&w, "name", config->agent_name != NULL ? config->agent_name : "stage-link-c");
  put(&w, ",");
  put_member(&w, "version", config->agent_version != NULL ? config->agent_version : "1");
  put(&w, ",");
  put_member(&w, "role", config->role != NULL ? config->role : "firmware");
  put(&w, ",\"underTest\":");
  put_bool(&w, config->under_test);
  put(&w, "},\"device\":{");
  put_member(&w, "model", config->model);
  put(&w, ",");
  put_member(&w, "serial", config->serial);
  put(&w, ",\"fw\":{");
  put_member(&w, "version", config->fw_version);
  put(&w, ",");
  put_member(&w, "build", config->fw_build);
  put(&w, ",");
  put_member(&w, "git", config->fw_git);
  put(&w, "}},");
  if (config->sdk != NULL) {
    put_member(&w, "sdk", config->sdk);
    put(&w, ",");
  }
  put(&w, "\"flows\":");
  put_list(&w, config->flows);
  put(&w, ",\"caps\":");
  put_list(&w, config->caps);
  put(&w, ",\"faults\":");
  put_layers(&w, config);
  put(&w, ",\"limits\":{\"record\":");
  put_integer(&w, (int64_t)RECORD_LIMIT);
  put(&w, "}");
  bool any = false;
  put_range(&w, "bitrate", config->bitrate, 1, &any);
  put_range(&w, "qualityFactor", config->quality_factor, 1000000, &any);
  put_range(&w, "iFrameInterval", config->i_frame_interval, 1000000, &any);
  if (any) put(&w, "}");
  if (config->probe_host != NULL) {
    put(&w, ",\"probe\":{");
    put_member(&w, "host", config->probe_host);
    put(&w, ",\"port\":");
    put_integer(&w, config->probe_port);
    put(&w, "}");
  }
  put_ready(&w, reasons);
  put(&w, "}");
  if (!agent->greeted) agent->next_heartbeat = at + SECOND;
  agent->greeted = true;
  // Another harness: what an earlier one injected is not meant for it.
  if (agent->run[0] == 0) agent->fault_count = 0;
  send_reply(agent, id, &w);
}

// A stream parameter in millionths. False, and refused, where it is missing or out of its range; 0 is in every range.
static bool read_parameter(
    sl_agent *agent, slice id, slice params, const char *name, sl_range range, int64_t unit, int64_t *out) {
  int64_t value = 0;
  bool whole = get_millionths(get(params, name), &value) && value % unit == 0;
  value /= unit;
  if (whole && (value == 0 || range.most <= 0 || (value >= range.least && value <= range.most))) {
    *out = value;
    return true;
  }
  writer w = refusal(agent, id, SL_BAD_PARAM, name);
  put(&w, ",\"data\":{");
  put_member(&w, "param", name);
  if (range.most > 0) {
    put(&w, ",\"range\":[");
    put_bound(&w, range.least, unit);
    put(&w, ",");
    put_bound(&w, range.most, unit);
    put(&w, "]");
  }
  put(&w, "}}}");
  send_record(agent, &w);
  return false;
}

static void start(sl_agent *agent, slice id, slice params) {
  const sl_config *config = agent->config;
  char run[SL_RUN + 1];
  if (!get_text(get(params, "run"), run, sizeof run) || run[0] == 0) {
    refuse(agent, id, SL_INVALID_PARAMS, "run");
    return;
  }
  for (const char *p = run; *p != 0; p++) {
    if ((uint8_t)*p < 0x20 || *p == 0x7F) {
      refuse(agent, id, SL_INVALID_PARAMS, "run");
      return;
    }
  }
  if (strcmp(run, agent->run) == 0) {
    accept(agent, id);
    return;
  }
  if (agent->run[0] != 0) {
    writer w = refusal(agent, id, SL_BUSY, NULL);
    put(&w, ",\"data\":{");
    put_member(&w, "owner", agent->run);
    put(&w, "}}}");
    send_record(agent, &w);
    return;
  }
  slice flow = get(params, "flow");
  const char *const *known = config->flows;
  while (known != NULL && *known != NULL && !equals(flow, *known)) known++;
  if (known == NULL || *known == NULL) {
    refuse(agent, id, SL_UNSUPPORTED, NULL);
    return;
  }
  const char *const *reasons = not_ready(agent);
  if (!agent->handling) return;
  if (reasons != NULL) {
    writer w = refusal(agent, id, SL_NOT_READY, NULL);
    put(&w, ",\"data\":{");
    put_reasons(&w, reasons);
    put(&w, "}}}");
    send_record(agent, &w);
    return;
  }
  sl_start_request request = {agent->run, *known, true, 0, 0, 0};
  slice wanted = get(params, "params");
  if (wanted.at != NULL && !equals(wanted, "default")) {
    request.default_params = false;
    if (!read_parameter(agent, id, wanted, "bitrate", config->bitrate, 1, &request.bitrate)
        || !read_parameter(
            agent, id, wanted, "qualityFactor", config->quality_factor, 1000000, &request.quality_factor)
        || !read_parameter(
            agent, id, wanted, "iFrameInterval", config->i_frame_interval, 1000000, &request.i_frame_interval)) {
      return;
    }
  }
  int64_t owner = 10000;
  get_integer(get(params, "ownerTimeoutMs"), &owner);
  owner = owner < 1000 ? 1000 : owner > 600000 ? 600000 : owner;
  agent->owner_timeout = (uint64_t)owner * 1000;
  agent->owner_gone = false;
  // The run is on before the callback, which may report events at once.
  memcpy(agent->run, run, sizeof run);
  agent->state = SL_STARTING;
  const char *why = NULL;
  int32_t code = config->start(config->context, &request, &why);
  if (code == SL_ACCEPTED) {
    accept(agent, id);
    return;
  }
  agent->run[0] = 0;
  agent->state = SL_IDLE;
  refuse(agent, id, code, why);
}

static void stop(sl_agent *agent, slice id, slice params) {
  slice run = get(params, "run");
  if (run.at == NULL || *run.at != '"') {
    refuse(agent, id, SL_INVALID_PARAMS, "run");
    return;
  }
  bool current = agent->run[0] != 0 && equals(run, agent->run);
  // The same stop twice is no error; another run's is.
  if (!current && (agent->last_run[0] == 0 || !equals(run, agent->last_run))) {
    refuse(agent, id, SL_BAD_STATE, "no such run");
    return;
  }
  accept(agent, id);
  if (!current || agent->run[0] == 0 || agent->state == SL_STOPPING) return;
  agent->state = SL_STOPPING;
  agent->config->stop(agent->config->context, agent->run, SL_STOP_ASKED);
}

static void remove_fault(sl_agent *agent, size_t i) {
  agent->fault_count--;
  memmove(&agent->faults[i], &agent->faults[i + 1], (agent->fault_count - i) * sizeof *agent->faults);
}

// Whenever faults are looked at: the next tick may be late.
static void remove_expired(sl_agent *agent, uint64_t at) {
  for (size_t i = agent->fault_count; i-- > 0;) {
    if (agent->faults[i].expires != 0 && agent->faults[i].expires <= at) remove_fault(agent, i);
  }
}

static void inject(sl_agent *agent, slice id, slice params) {
  const sl_config *config = agent->config;
  slice verb = get(params, "fault"), stage = get(get(params, "at"), "stage"), arguments = get(params, "args");
  if (verb.at == NULL || *verb.at != '"') {
    refuse(agent, id, SL_INVALID_PARAMS, "fault");
    return;
  }
  if (stage.at == NULL) {
    refuse(agent, id, SL_BAD_PARAM, "at: this device takes a stage");
    return;
  }
  const sl_fault_kind *kind = NULL;
  for (size_t i = 0; i < config->fault_count && kind == NULL; i++) {
    if (equals(verb, config->faults[i].verb) && equals(stage, config->faults[i].stage)) kind = &config->faults[i];
  }
  if (kind == NULL) {
    refuse(agent, id, SL_UNKNOWN_FAULT, NULL);
    return;
  }
  remove_expired(agent, agent->received_at);
  size_t length = arguments.at == NULL ? 0 : (size_t)(arguments.end - arguments.at);
  if (agent->fault_count == FAULTS || length >= FAULT_ARGUMENTS) {
    refuse(agent, id, SL_TOO_LARGE, "too many faults, or too large arguments");
    return;
  }
  // It waits only once it is accepted: until then the firmware may take others, or lose the channel.
  sl_fault fault;
  memset(&fault, 0, sizeof fault);
  writer name = writer_on(fault.id, sizeof fault.id - 1);
  put(&name, "f");
  put_integer(&name, ++agent->last_fault);
  fault.kind = kind;
  fault.remaining = 1;
  get_integer(get(params, "count"), &fault.remaining);
  if (fault.remaining < 1) fault.remaining = 1;
  int64_t ttl = 0;
  if (get_integer(get(params, "ttlMs"), &ttl)) {
    ttl = ttl < 0 ? 0 : ttl > 86400000 ? 86400000 : ttl;
    fault.expires = now(agent) + (uint64_t)ttl * 1000;
    if (fault.expires == 0) fault.expires = 1;
  }
  if (length > 0) memcpy(fault.arguments, arguments.at, length);
  const char *why = NULL;
  int32_t code = config->inject != NULL ? config->inject(config->context, &fault, &why) : SL_ACCEPTED;
  if (!agent->handling) return;
  if (code != SL_ACCEPTED) {
    refuse(agent, id, code, why);
    return;
  }
  agent->faults[agent->fault_count++] = fault;
  writer w = reply(agent, id);
  put(&w, "{");
  put_member(&w, "id", fault.id);
  put(&w, "}");
  send_reply(agent, id, &w);
}

static void clear(sl_agent *agent, slice id, slice params) {
  slice wanted = get(params, "id");
  if (wanted.at != NULL) {
    remove_expired(agent, agent->received_at);
    size_t i = 0;
    while (i < agent->fault_count && !equals(wanted, agent->faults[i].id)) i++;
    if (i == agent->fault_count) {
      refuse(agent, id, SL_UNKNOWN_FAULT, NULL);
      return;
    }
    remove_fault(agent, i);
  } else {
    agent->fault_count = 0;
    if (agent->config->cleared != NULL) agent->config->cleared(agent->config->context);
  }
  writer w = reply(agent, id);
  put(&w, "{}");
  send_reply(agent, id, &w);
}

static void link_result(sl_agent *agent, slice id, slice params) {
  slice success = get(params, "success");
  if (agent->config->link_result == NULL) {
    refuse(agent, id, SL_BAD_STATE, "this device joins by itself");
  } else if (success.at == NULL || (*success.at != 't' && *success.at != 'f')) {
    refuse(agent, id, SL_INVALID_PARAMS, "success");
  } else if (agent->run[0] == 0 || !equals(get(params, "run"), agent->run)) {
    refuse(agent, id, SL_BAD_STATE, "no such run");
  } else {
    bool joined = *success.at == 't';
    accept(agent, id);
    agent->config->link_result(agent->config->context, joined);
  }
}

static void state(sl_agent *agent, slice id) {
  const char *const *reasons = not_ready(agent);
  writer w = reply(agent, id);
  put(&w, "{");
  put_member(&w, "state", state_name(agent->state));
  put_run(&w, agent);
  put(&w, ",\"seq\":");
  put_integer(&w, agent->last_sequence);
  put_ready(&w, reasons);
  put(&w, "}");
  send_reply(agent, id, &w);
}

static void events(sl_agent *agent, slice id, slice params) {
  int64_t since = 0;
  if (!get_integer(get(params, "since"), &since) || since < 0) {
    refuse(agent, id, SL_INVALID_PARAMS, "since");
    return;
  }
  int64_t oldest = agent->last_sequence - (int64_t)agent->ring_count + 1;
  int64_t next = since > oldest - 1 ? since : oldest - 1;
  int64_t lost = next - since;
  bool more = false;
  writer w = reply(agent, id);
  put(&w, "{\"events\":[");
  size_t at = agent->ring_begin;
  bool first = true;
  for (size_t i = 0; i < agent->ring_count; i++) {
    size_t length = agent->ring_lengths[(agent->ring_first + i) % RING_EVENTS];
    int64_t sequence = oldest + (int64_t)i;
    if (sequence > since) {
      // An event fits an empty page: it has at most EVENT_LIMIT bytes.
      if (w.used + length + 100 > RECORD_LIMIT) {
        more = true;
        break;
      }
      if (!first) put(&w, ",");
      first = false;
      put_from_ring(&w, agent, at, length);
      next = sequence;
    }
    at = (at + length) % RING_BYTES;
  }
  put(&w, "],\"next\":");
  put_integer(&w, next);
  put(&w, ",\"more\":");
  put_bool(&w, more);
  put(&w, ",\"lost\":");
  put_integer(&w, lost);
  put(&w, "}");
  send_reply(agent, id, &w);
}

static void faults(sl_agent *agent, slice id, slice params) {
  const sl_config *config = agent->config;
  int64_t from = 0;
  get_integer(get(params, "from"), &from);
  size_t count = config->fault_count;
  size_t i = from < 0 ? 0 : (uint64_t)from < count ? (size_t)from : count;
  writer w = reply(agent, id);
  put(&w, "{\"faults\":[");
  for (bool first = true; i < count; i++) {
    const sl_fault_kind *kind = &config->faults[i];
    writer before = w;
    put(&w, first ? "\"" : ",\"");
    put_characters(&w, kind->layer, length_of(kind->layer), SIZE_MAX);
    put(&w, " ");
    put_characters(&w, kind->verb, length_of(kind->verb), SIZE_MAX);
    put(&w, "\"");
    if (has_room(&w, PAGE_END)) {
      first = false;
      continue;
    }
    w = before;
    // One that fits no page is passed over.
    if (!first) break;
  }
  put(&w, "],\"next\":");
  put_integer(&w, (int64_t)i);
  put(&w, ",\"more\":");
  put_bool(&w, i < count);
  put(&w, "}");
  send_reply(agent, id, &w);
}

static void ping(sl_agent *agent, slice id) {
  uint64_t at = now(agent);
  writer w = reply(agent, id);
  put(&w, "{\"d1\":");
  put_time(&w, agent->received_at);
  put(&w, ",\"d2\":");
  put_time(&w, at);
  put(&w, "}");
  send_reply(agent, id, &w);
}

static void echo(sl_agent *agent, slice id, slice params) {
  int64_t length = 0;
  const int64_t most = (int64_t)RECORD_LIMIT - 128;
  if (!get_integer(get(params, "len"), &length) || length < 0) {
    refuse(agent, id, SL_INVALID_PARAMS, "len");
    return;
  }
  if (length > most) {
    writer w = refusal(agent, id, SL_TOO_LARGE, NULL);
    put(&w, ",\"data\":{\"most\":");
    put_integer(&w, most);
    put(&w, "}}}");
    send_record(agent, &w);
    return;
  }
  writer w = reply(agent, id);
  put(&w, "{\"data\":\"");
  for (int64_t i = 0; i < length; i++) put(&w, "e");
  put(&w, "\"}");
  send_reply(agent, id, &w);
}

static void log_page(sl_agent *agent, slice id, slice params) {
  int64_t since = 0, most = 20;
  get_integer(get(params, "since"), &since);
  get_integer(get(params, "max"), &most);
  int64_t kept = (int64_t)LOG_LINES, oldest = agent->log_next > kept ? agent->log_next - kept : 0;
  int64_t next = since > oldest ? since : oldest;
  writer w = reply(agent, id);
  put(&w, "{\"lines\":[");
  for (bool first = true; next < agent->log_next && most > 0; next++, most--, first = false) {
    const char *line = agent->log[(uint64_t)next % LOG_LINES];
    writer before = w;
    if (!first) put(&w, ",");
    put_string(&w, line);
    if (has_room(&w, PAGE_END)) continue;
    w = before;
    if (!first) break;
    // A line that fits no page: what fits of it, lest what follows could never be read.
    w.budget = has_room(&w, PAGE_END + 2) ? w.capacity - w.used - PAGE_END - 2 : 0;
    put_free_text(&w, line);
  }
  put(&w, "],\"next\":");
  put_integer(&w, next);
  put(&w, "}");
  send_reply(agent, id, &w);
}

static void reset(sl_agent *agent, slice id, slice params) {
  slice level = get(params, "level");
  if (agent->config->reset == NULL) {
    refuse(agent, id, SL_UNSUPPORTED, "no reset");
    return;
  }
  bool device = equals(level, "device");
  if (!device && !equals(level, "agent")) {
    writer w = refusal(agent, id, SL_BAD_PARAM, "level");
    put(&w, ",\"data\":{\"range\":[\"agent\",\"device\"]}}}");
    send_record(agent, &w);
    return;
  }
  accept(agent, id);
  agent->config->reset(agent->config->context, device ? "device" : "agent");
}

static void handle(sl_agent *agent, slice request) {
  slice method = get(request, "method"), id = get(request, "id"), params = get(request, "params");
  agent->last_heard = agent->received_at;
  if (method.at == NULL || *method.at != '"') {
    // A reply or an error is not for us: an agent asks nothing.
    if (get(request, "result").at == NULL && get(request, "error").at == NULL) {
      refuse(agent, nothing, SL_INVALID_REQUEST, NULL);
    }
    return;
  }
  // Without an id it is a notification, of which version 1 has none for the device.
  if (id.at == NULL || *id.at == 'n') return;
  if ((*id.at != '"' && *id.at != '-' && !is_digit(*id.at)) || id.end - id.at > SL_ID) {
    refuse(agent, nothing, SL_INVALID_REQUEST, "id");
    return;
  }
  if (equals(method, "hello")) {
    hello(agent, id, params);
  } else if (equals(method, "ping")) {
    ping(agent, id);
  } else if (equals(method, "start")) {
    start(agent, id, params);
  } else if (equals(method, "stop")) {
    stop(agent, id, params);
  } else if (equals(method, "state")) {
    state(agent, id);
  } else if (equals(method, "events")) {
    events(agent, id, params);
  } else if (equals(method, "inject") && agent->config->fault_count > 0) {
    inject(agent, id, params);
  } else if (equals(method, "clear")) {
    clear(agent, id, params);
  } else if (equals(method, "faults")) {
    faults(agent, id, params);
  } else if (equals(method, "linkResult")) {
    link_result(agent, id, params);
  } else if (equals(method, "echo")) {
    echo(agent, id, params);
  } else if (equals(method, "log")) {
    log_page(agent, id, params);
  } else if (equals(method, "reset")) {
    reset(agent, id, params);
  } else {
    refuse(agent, id, SL_METHOD_NOT_FOUND, NULL);
  }
}

// MARK: Faults

bool sl_take_fault(sl_agent *agent, const char *verb, const char *stage, sl_fault *fault) {
  remove_expired(agent, now(agent));
  for (size_t i = 0; i < agent->fault_count; i++) {
    sl_fault *found = &agent->faults[i];
    if (!same(found->kind->verb, verb) || !same(found->kind->stage, stage)) continue;
    found->remaining--;
    sl_fault copy = *found;
    if (fault != NULL) *fault = copy;
    if (copy.remaining <= 0) remove_fault(agent, i);
    sl_field id = sl_text("id", copy.id);
    sl_event(agent, "x.fault.fired", &id, 1);
    return true;
  }
  return false;
}

static slice arguments(const sl_fault *fault) {
  slice all = {fault->arguments, fault->arguments + strlen(fault->arguments)};
  return all;
}

bool sl_fault_integer(const sl_fault *fault, const char *name, int64_t *value) {
  return get_integer(get(arguments(fault), name), value);
}

bool sl_fault_text(const sl_fault *fault, const char *name, char *text, size_t capacity) {
  return get_text(get(arguments(fault), name), text, capacity);
}

// MARK: Log

void sl_log(sl_agent *agent, const char *text) {
  if (text == NULL) text = "";
  char *line = agent->log[(uint64_t)agent->log_next++ % LOG_LINES];
  size_t used = 0;
  // A line that begins like a record would be taken for one.
  if (text[0] == '{') line[used++] = ' ';
  for (; *text != 0 && used < LOG_LINE - 1; text++) line[used++] = (uint8_t)*text < 0x20 ? ' ' : *text;
  line[used] = 0;
  // `out` is in use while it is sent.
  if (!agent->greeted || agent->sending) return;
  memcpy(agent->out, line, used);
  agent->out[used] = '\n';
  send_out(agent, used + 1);
}

// MARK: Time

void sl_init(sl_agent *agent, const sl_config *config, uint64_t boot) {
  memset(agent, 0, sizeof *agent);
  agent->config = config;
  writer w = writer_on(agent->boot, 16);
  put_hex(&w, (uint32_t)(boot >> 32), 8);
  put_hex(&w, (uint32_t)boot, 8);
  agent->owner_timeout = 10 * SECOND;
  // Inside of `sl_receive`, what comes after the reset was received now.
  agent->last_heard = agent->received_at = now(agent);
}

void sl_link_reset(sl_agent *agent) {
  agent->line_length = 0;
  agent->skipping = false;
  agent->greeted = false;
  agent->link_lost = true;
  if (agent->run[0] == 0) agent->fault_count = 0;
}

static void heartbeat(sl_agent *agent, uint64_t at) {
  writer w = record(agent);
  put(&w, "{\"jsonrpc\":\"2.0\",\"method\":\"hb\",\"params\":{\"t\":");
  put_time(&w, at);
  put(&w, ",\"seq\":");
  put_integer(&w, agent->last_sequence);
  put(&w, ",");
  put_member(&w, "state", state_name(agent->state));
  put_run(&w, agent);
  put(&w, "}}");
  send_record(agent, &w);
}

void sl_tick(sl_agent *agent) {
  if (agent->sending || agent->asking) return;
  uint64_t at = now(agent);
  keep_up(agent, at);
  drop_stale(agent, at);
  remove_expired(agent, at);
  if (agent->greeted && at >= agent->next_heartbeat) {
    // After a stall, one heartbeat is enough.
    agent->next_heartbeat += SECOND;
    if (agent->next_heartbeat <= at) agent->next_heartbeat = at + SECOND;
    heartbeat(agent, at);
  }
  if (agent->run[0] != 0 && !agent->owner_gone && since(agent->last_heard, at) > agent->owner_timeout) {
    agent->owner_gone = true;
    if (agent->state == SL_STOPPING) return;
    agent->state = SL_STOPPING;
    agent->config->stop(agent->config->context, agent->run, SL_STOP_OWNER_GONE);
  }
}

static uint64_t until(uint64_t due, uint64_t at) { return due > at ? due - at : 0; }

uint64_t sl_next_us(sl_agent *agent) {
  uint64_t at = now(agent), next = SECOND;
  uint64_t waits[3] = {
      agent->greeted ? until(agent->next_heartbeat, at) : SECOND,
      agent->line_length > 0 && !agent->handling ? until(agent->line_began + SECOND + 1, at) : SECOND,
      agent->run[0] != 0 && !agent->owner_gone ? until(agent->last_heard + agent->owner_timeout + 1, at) : SECOND};
  for (size_t i = 0; i < 3; i++) {
    if (waits[i] < next) next = waits[i];
  }
  for (size_t i = 0; i < agent->fault_count; i++) {
    uint64_t wait = agent->faults[i].expires != 0 ? until(agent->faults[i].expires, at) : SECOND;
    if (wait < next) next = wait;
  }
  return next;
}

const char *sl_run(const sl_agent *agent) { return agent->run[0] != 0 ? agent->run : NULL; }
sl_state sl_current_state(const sl_agent *agent) { return agent->state; }
uint32_t sl_damaged(const sl_agent *agent) { return agent->damaged; }
