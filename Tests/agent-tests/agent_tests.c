// What firmware may do to the C agent, one case after the other. Built by ci/agent, with AddressSanitizer and
// UndefinedBehaviorSanitizer, in several sizes. It prints what does not hold, and ends with 1.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage_link_agent.h"

static const char *name_of_case;
static int failures;

static sl_agent agent;
static sl_config config;
static uint64_t now;
// What the agent sent: records without their framing, lines of the log with a `#` before them; each ends with LF.
static char said[1 << 16];
static size_t said_length;
// Bytes of the record at hand that an earlier look at it did not show.
static bool changed_while_sent;
// What a function of the firmware does when the agent calls it; NULL: nothing.
static void (*in_send)(void), (*in_clock)(void), (*in_not_ready)(void), (*in_start)(void), (*in_inject)(void);
static void (*in_reset)(void), (*in_stop)(void);
static const char *const *reasons;
static int32_t start_code;
static int stops;

static void require(bool holds, const char *what) {
  if (holds) return;
  failures++;
  printf("agent-tests: %s: %s\n  said: %s\n", name_of_case, what, said);
}

static void act(void (**what)(void)) {
  void (*once)(void) = *what;
  *what = NULL;
  if (once != NULL) once();
}

static void send_bytes(void *context, const uint8_t *bytes, size_t count) {
  (void)context;
  char before[SL_RECORD_LIMIT + 14];
  memcpy(before, bytes, count);
  act(&in_send);
  if (memcmp(before, bytes, count) != 0) changed_while_sent = true;
  bool is_record = bytes[0] == 0x1E;
  const uint8_t *text = is_record ? bytes + 1 : bytes;
  size_t length = is_record ? count - 12 : count - 1;
  if (said_length + length + 3 > sizeof said) abort();
  for (size_t i = 0; i < length; i++) require(text[i] >= 0x20, "a raw control byte");
  if (!is_record) said[said_length++] = '#';
  memcpy(said + said_length, text, length);
  said_length += length;
  said[said_length++] = '\n';
  said[said_length] = 0;
}

static uint64_t now_us(void *context) {
  (void)context;
  // Each time: a clock that reports asks for the time of the report.
  if (in_clock != NULL) in_clock();
  return now;
}

static int32_t start(void *context, const sl_start_request *request, const char **why) {
  (void)context;
  (void)request;
  *why = "the lens\ncap is on";
  act(&in_start);
  return start_code;
}

static void stop(void *context, const char *run, sl_stop_reason reason) {
  (void)context;
  (void)run;
  (void)reason;
  stops++;
  act(&in_stop);
}

static int32_t inject(void *context, const sl_fault *fault, const char **why) {
  (void)context;
  (void)fault;
  (void)why;
  act(&in_inject);
  return SL_ACCEPTED;
}

static void reset(void *context, const char *level) {
  (void)context;
  (void)level;
  act(&in_reset);
}

static const char *const *not_ready(void *context) {
  (void)context;
  act(&in_not_ready);
  return reasons;
}

static const char *const flows[] = {"rtsp-hotspot", NULL};
static const sl_fault_kind kinds[] = {{"flow", "hang", "finish"}, {"flow", "refuse", "finish"}};

static void forget(void) {
  said_length = 0;
  said[0] = 0;
}

static void begin(const char *name) {
  name_of_case = name;
  memset(&agent, 0xA5, sizeof agent);
  now = 1000;
  reasons = NULL;
  start_code = SL_ACCEPTED;
  stops = 0;
  changed_while_sent = false;
  in_send = in_clock = in_not_ready = in_start = in_inject = in_reset = in_stop = NULL;
  config = (sl_config){
      .model = "m", .flows = flows, .faults = kinds, .fault_count = 2, .send = send_bytes, .now_us = now_us,
      .start = start, .stop = stop, .inject = inject, .reset = reset, .not_ready = not_ready};
  sl_init(&agent, &config, 1);
  forget();
}

static void ask(const char *format, ...) {
  char line[SL_RECORD_LIMIT + 2];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  sl_receive(&agent, line, (size_t)length);
}

static void greet(void) {
  ask("{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}\n");
  forget();
}

static bool has(const char *text) { return strstr(said, text) != NULL; }

static size_t times(const char *text) {
  size_t count = 0;
  for (const char *p = said; (p = strstr(p, text)) != NULL; p++) count++;
  return count;
}

static const char *filled(char c, size_t length) {
  static char texts[4][SL_RECORD_LIMIT + 1];
  static size_t turn;
  char *text = texts[turn++ % 4];
  if (length > SL_RECORD_LIMIT) length = SL_RECORD_LIMIT;
  memset(text, c, length);
  text[length] = 0;
  return text;
}

// MARK: Functions that report and log

static void report(void) {
  sl_log(&agent, "{ a line of the log");
  sl_event(&agent, "x.inside", NULL, 0);
}

static void report_whether_ready(void) {
  begin("a report while it is asked whether it is ready");
  ask("{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}\n");
  const char *const methods[] = {"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}", "state\"}",
                                 "start\",\"params\":{\"run\":\"r\",\"flow\":\"rtsp-hotspot\"}}"};
  for (size_t i = 0; i < 3; i++) {
    forget();
    in_not_ready = report;
    ask("{\"id\":7,\"method\":\"%s\n", methods[i]);
    require(has("# ") && (SL_LOG_LINE < 64 || has("# { a line of the log\n")), "the line is missing");
    require(has("\"name\":\"x.inside\""), "the event is missing");
    require(times("\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{") == 1, "the reply is no more what it was");
  }
  require(has("\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"accepted\":true}}\n"), "the run is not accepted");
}

static void report_in_send(void) {
  begin("a report in send");
  greet();
  in_send = report;
  ask("{\"id\":7,\"method\":\"ping\"}\n");
  require(!changed_while_sent, "the record that is being sent was overwritten");
  require(times("\n") == 1, "more than the reply was sent");
  require(has("\"id\":7,\"result\":{\"d1\":1000,\"d2\":1000}}"), "the reply is no more what it was");
  forget();
  ask("{\"id\":8,\"method\":\"events\",\"params\":{\"since\":0}}\n");
  require(has("\"seq\":1,") && has("\"x.inside\"") && has("\"next\":1,"), "the event was not kept");
  forget();
  ask("{\"id\":9,\"method\":\"log\"}\n");
  require(has("\"lines\":[\" ") && (SL_LOG_LINE < 64 || has("\" { a line of the log\"")), "the line was not kept");
}

static void report_much_in_send(void) {
  const sl_field fields[] = {
      sl_text("address", filled('a', 300)), sl_bool("b", true), sl_free_text("f", filled('f', 300))};
  sl_event(&agent, "x.inside", fields, 3);
}

static void large_report_in_send(void) {
  begin("a large report in send");
  greet();
  in_send = report_much_in_send;
  ask("{\"id\":7,\"method\":\"ping\"}\n");
  forget();
  ask("{\"id\":8,\"method\":\"events\",\"params\":{\"since\":0}}\n");
  require(!has("\"address\"") && has("\"b\":true,\"f\":\"fff") && has("f\",\"cut\":true}]"), "it is not what fits");
}

static void report_in_clock(void) {
  begin("a report in the clock");
  greet();
  now += 5;
  in_clock = report;
  ask("{\"id\":7,\"method\":\"ping\"}\n");
  require(has("\"x.inside\"") && has("\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"d1\":1005,\"d2\":1005}}\n"),
          "the reply is no more what it was");
  forget();
  sl_event(&agent, "x.outside", NULL, 0);
  require(times("\"x.inside\"") == 1 && times("\"x.outside\"") == 1, "not both of them are there");
  forget();
  now += 1000000;
  sl_tick(&agent);
  require(times("\"method\":\"hb\"") == 1, "the heartbeat is missing");
}

static void lose_channel(void) { sl_link_reset(&agent); }

static void finish_run(void) { sl_finish(&agent, false, NULL); }

static void lose_channel_and_run(void) {
  sl_link_reset(&agent);
  sl_finish(&agent, false, NULL);
}

static void start_run(const char *run) {
  ask("{\"id\":2,\"method\":\"start\",\"params\":{\"run\":\"%s\",\"flow\":\"rtsp-hotspot\"}}\n", run);
}

static void channel_lost_in_send(void) {
  begin("the channel is lost in send");
  greet();
  in_send = lose_channel;
  // Two requests in one read; the second was of the channel that is gone.
  ask("{\"id\":7,\"method\":\"ping\"}\n"
      "{\"id\":8,\"method\":\"start\",\"params\":{\"run\":\"r\",\"flow\":\"rtsp-hotspot\"}}\n");
  require(!has("\"id\":8") && sl_run(&agent) == NULL, "what was left of the old channel was carried out");
  forget();
  ask("{\"id\":9,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}\n");
  require(has("\"id\":9,\"result\""), "the new channel is not heard");

  begin("the channel is lost while a request is carried out");
  greet();
  in_start = lose_channel;
  start_run("r1");
  require(said_length == 0 && sl_run(&agent) != NULL, "the reply went to another channel");
}

static void tick(void) { sl_tick(&agent); }

static void tick_in_send(void) {
  begin("a tick in send");
  greet();
  now += 1500000;
  in_send = tick;
  ask("{\"id\":7,\"method\":\"ping\"}\n");
  require(!changed_while_sent && !has("\"hb\""), "the record that is being sent was overwritten");
  sl_tick(&agent);
  require(times("\"hb\"") == 1, "the heartbeat is missing");
}

static void run_ends_in_send(void) {
  begin("the run ends in send");
  greet();
  start_run("r1");
  forget();
  in_send = finish_run;
  ask("{\"id\":7,\"method\":\"stop\",\"params\":{\"run\":\"r1\"}}\n");
  require(stops == 0 && sl_run(&agent) == NULL && sl_current_state(&agent) == SL_IDLE, "a run that ended is stopped");

  start_run("r2");
  in_send = lose_channel_and_run;
  sl_finish(&agent, true, NULL);
  greet();
  ask("{\"id\":8,\"method\":\"events\",\"params\":{\"since\":0}}\n");
  require(times("\"sessionFinish\"") == 2, "a run ends twice");
  forget();
  ask("{\"id\":9,\"method\":\"stop\",\"params\":{\"run\":\"r2\"}}\n");
  require(has("\"accepted\":true"), "the run that ended last is forgotten");
}

static void run_ends_in_start(void) {
  begin("the run ends in start");
  greet();
  in_start = finish_run;
  start_run("r1");
  require(has("\"sessionFinish\"") && has("\"accepted\":true") && sl_run(&agent) == NULL, "it did not end");
  forget();
  start_code = SL_HARDWARE;
  start_run("r2");
  require(has("\"code\":-32008,\"message\":\"the lens\\u000acap is on\"}}"), "no refusal with its reason");
}

static void receive_more(void) { ask("{\"id\":99,\"method\":\"inject\",\"params\":{\"fault\":\"refuse\"}}\n"); }

static void received_inside(void) {
  begin("bytes come in while a request is carried out");
  greet();
  in_not_ready = receive_more;
  start_run("a-run-of-its-own");
  require(has("\"id\":2,\"result\":{\"accepted\":true}") && !has("99"), "the request at hand was overwritten");
  require(sl_run(&agent) != NULL && strcmp(sl_run(&agent), "a-run-of-its-own") == 0, "another run was started");
  require(sl_damaged(&agent) == 1, "what was dropped is not counted");
  forget();
  in_send = receive_more;
  ask("{\"id\":7,\"method\":\"ping\"}\n{\"id\":8,\"method\":\"ping\"}\n");
  require(has("\"id\":7,") && has("\"id\":8,") && !has("99") && !changed_while_sent, "the record was overwritten");
}

static void wait_three_seconds(void) {
  for (int i = 0; i < 30; i++) {
    now += 100000;
    require(sl_next_us(&agent) > 0 || now % 1000000 < 200000, "the agent never comes to rest");
    sl_tick(&agent);
  }
}

static void slow_start(void) {
  begin("a start that takes three seconds, with ticks");
  greet();
  in_start = wait_three_seconds;
  start_run("r1");
  require(sl_damaged(&agent) == 0 && !has("-32700"), "the request counts as damaged");
  require(times("\"method\":\"hb\"") == 3, "no heartbeats");
  require(has("\"id\":2,\"result\":{\"accepted\":true}"), "no reply");
}

static void take_fault(void) { sl_take_fault(&agent, "hang", "finish", NULL); }

static void inject_fault(int id, const char *verb) {
  ask("{\"id\":%d,\"method\":\"inject\",\"params\":{\"fault\":\"%s\",\"at\":{\"stage\":\"finish\"}}}\n", id, verb);
}

static void fault_taken_in_inject(void) {
  begin("a fault is taken while another is injected");
  if (SL_FAULTS < 2) return;
  greet();
  inject_fault(2, "hang");
  in_inject = take_fault;
  inject_fault(3, "refuse");
  require(!sl_take_fault(&agent, "hang", "finish", NULL), "the fault that was taken is there again");
  require(sl_take_fault(&agent, "refuse", "finish", NULL), "the fault that was injected is gone");
  begin("the channel is lost while a fault is injected");
  greet();
  inject_fault(2, "hang");
  in_inject = lose_channel;
  inject_fault(3, "refuse");
  require(!sl_take_fault(&agent, "hang", "finish", NULL), "the fault that died is there again");
}

static void inject_for_100_ms(int id) {
  ask("{\"id\":%d,\"method\":\"inject\",\"params\":"
      "{\"fault\":\"hang\",\"at\":{\"stage\":\"finish\"},\"ttlMs\":100}}\n", id);
}

static void fault_after_its_time(void) {
  begin("a fault whose time has passed, before a tick has come");
  greet();
  inject_for_100_ms(2);
  now += 99999;
  require(sl_take_fault(&agent, "hang", "finish", NULL), "a fault is gone before its time");
  inject_for_100_ms(3);
  now += 100000;
  require(!sl_take_fault(&agent, "hang", "finish", NULL), "it acts");
  require(times("x.fault.fired") == 1, "it claims to have acted");
  // What is dead takes no place.
  for (int i = 0; i < SL_FAULTS; i++) inject_for_100_ms(4);
  now += 100000;
  inject_for_100_ms(5);
  require(has("\"id\":5,\"result\""), "it is in the way of another");
  now += 100000;
  ask("{\"id\":6,\"method\":\"clear\",\"params\":{\"id\":\"f%d\"}}\n", (int)agent.last_fault);
  require(has("\"id\":6,\"error\":{\"code\":-32005"), "it is still there to be cleared");
}

// MARK: Restarts

static void boot(void) {
  now = 500;
  sl_init(&agent, &config, 2);
}

static void reset_inside_a_read(void) {
  begin("a reset in the middle of a read");
  greet();
  in_reset = boot;
  ask("{\"id\":2,\"method\":\"reset\",\"params\":{\"level\":\"device\"}}\n"
      "{\"id\":3,\"method\":\"ping\"}\n"
      "{\"id\":4,\"method\":\"start\",\"params\":{\"run\":\"r\",\"flow\":\"rtsp-hotspot\"}}\n"
      "{\"id\":5");
  require(has("\"id\":3,\"result\":{\"d1\":500,\"d2\":500}}"), "it was received before the boot");
  require(sl_run(&agent) != NULL, "no run was started");
  now += 20;
  sl_tick(&agent);
  require(stops == 0, "the owner is gone at once");
  require(sl_damaged(&agent) == 0, "a line that has just begun is stale");
}

static void boot_inside_other_functions(void) {
  static void (**const places[])(void) = {&in_not_ready, &in_start, &in_inject, &in_stop};
  for (size_t i = 0; i < 4; i++) {
    begin("a boot where none is allowed");
    greet();
    *places[i] = boot;
    start_run("r1");
    require(i > 1 || !has("\"id\":2"), "a request of before the boot is answered");
    ask("{\"id\":3,\"method\":\"stop\",\"params\":{\"run\":\"r1\"}}\n");
    inject_fault(4, "hang");
    require(i != 2 || !sl_take_fault(&agent, "hang", "finish", NULL), "a fault of before the boot waits");
    forget();
    ask("{\"id\":5,\"method\":\"ping\"}\n");
    require(has("\"id\":5,\"result\""), "it does not answer any more");
  }
}

static void clock_set_back(void) {
  begin("a clock that is set back");
  now = UINT64_C(0xFFFFFFF0);
  greet();
  start_run("r1");
  forget();
  now = 3;
  sl_tick(&agent);
  require(stops == 0, "the owner is gone at once");
  for (int i = 0; i < 25; i++) {
    now += 100000;
    sl_tick(&agent);
  }
  require(times("\"method\":\"hb\"") >= 2, "no heartbeat for an hour");
  for (int i = 0; i < 100; i++) {
    now += 100000;
    sl_tick(&agent);
  }
  require(stops == 1, "the owner never goes");
}

static void times_beyond_a_double(void) {
  begin("a time beyond 2^53");
  greet();
  sl_event_at(&agent, UINT64_MAX, "x.e", NULL, 0);
  require(has("\"t\":9007199254740992,"), "the harness cannot read it");
}

// MARK: Events

static void whole_or_not_at_all(void) {
  begin("an event is whole, or says what it lacks");
  greet();
  // Every length round the room of an event.
  for (size_t length = 0; length <= SL_RECORD_LIMIT; length++) {
    forget();
    const char *address = filled('a', length);
    const sl_error error = {"net", 7, filled('m', length / 2)};
    const sl_field fields[] = {sl_text("address", address), sl_ssid("my ssid", 7), sl_join("harness", "the key"),
                               sl_error_field(&error), sl_bool("b", true)};
    sl_event(&agent, "rtspAddressReceived", fields, 5);
    char wanted[SL_RECORD_LIMIT + 16];
    snprintf(wanted, sizeof wanted, ",\"address\":\"%s\"", address);
    bool cut = has(",\"cut\":true}}\n");
    require(has(wanted) || (cut && !has("address")), "a part of an address");
    require(has(",\"ssid\":\"my ssid\"") || (cut && !has("ssid")), "a part of an SSID");
    require(has(",\"join\":{\"by\":\"harness\",\"key\":\"the key\"}") || (cut && !has("key")), "a part of a key");
    require(has(",\"error\":{\"domain\":\"net\",\"code\":7,\"message\":\"") || (cut && !has("error")), "half an error");
    require(has(",\"b\":true") || cut, "a member is missing");
    require(!cut || length > SL_RECORD_LIMIT / 64, "what fits was cut");
    snprintf(wanted, sizeof wanted, "\"message\":\"%s\"}", error.message);
    require(cut || has(wanted), "a message is cut, and nothing says so");
    require(times("\n") == 1 && said_length <= SL_RECORD_LIMIT + 1, "not one record");
    if (failures > 0) return;
  }
}

static void messages_share_the_room(void) {
  begin("free texts share the room that is left");
  greet();
  const sl_error error = {"net", 7, filled('"', SL_RECORD_LIMIT)};
  const sl_field fields[] = {
      sl_error_field(&error), sl_free_text("note", filled('\xC3', SL_RECORD_LIMIT)), sl_integer("n", 1)};
  sl_event(&agent, "x.e", fields, 3);
  require(has("\\\"\"},\"note\":\"\\ufffd"), "not both");
  require(has("\\ufffd\",\"n\":1,\"cut\":true}}\n"), "half a character");
  require(said_length > SL_RECORD_LIMIT - 220, "room was left");
}

static void event_with(sl_field field) {
  forget();
  sl_event(&agent, "x.e", &field, 1);
}

static void members_that_cannot_be_whole(void) {
  begin("members that cannot be whole");
  greet();
  event_with(sl_integer("n", INT64_C(9007199254740992)));
  require(has("\"n\":9007199254740992}}"), "2^53 can be read");
  event_with(sl_integer("n", INT64_C(9007199254740993)));
  require(!has("\"n\"") && has("\"cut\":true"), "the harness takes no such number");
  event_with(sl_integer("n", INT64_MIN));
  require(!has("\"n\"") && has("\"cut\":true"), "the harness takes no such number");
  const sl_error error = {"d", INT64_MAX, "m"};
  event_with(sl_error_field(&error));
  require(has("\"error\":{\"domain\":\"d\",\"message\":\"m\"},\"cut\":true"), "the harness takes no such code");
  event_with(sl_ssid("123456789 123456789 123456789 12", 32));
  require(has("\"ssid\":\"123456789 123456789 123456789 12\"}}"), "32 octets are an SSID");
  event_with(sl_ssid("123456789 123456789 123456789 123", 33));
  require(!has("ssid") && has("\"cut\":true"), "a part of an SSID");
  event_with(sl_ssid("\xFF\x01", 2));
  require(has("\"ssidHex\":\"ff01\"}}"), "octets that are no text");
  event_with(sl_ssid(NULL, 0));
  require(has("\"ssid\":\"\"}}"), "no SSID");
  event_with(sl_join("harness", "pass\xFFword"));
  require(has("\"join\":{\"by\":\"harness\"},\"cut\":true"), "another key");
  event_with(sl_text(filled('n', SL_RECORD_LIMIT), "t"));
  require(!has("nnnn") && has("\"cut\":true"), "a part of a name");
  event_with(sl_text("n\xFF", "t"));
  require(!has("\"n") || has("\"cut\":true"), "another name");
  event_with(sl_text("t", "25 C"));
  require(times("\"t\":") == 1 && has("\"cut\":true"), "a name stands there twice");
  const sl_field twice[] = {sl_text("a", "1"), sl_text("a", "2"), sl_text(NULL, NULL)};
  forget();
  sl_event(&agent, "x.e", twice, 3);
  require(has(",\"a\":\"1\",\"\":\"\",\"cut\":true}}"), "a name stands there twice");
  forget();
  sl_event(&agent, filled('x', SL_RECORD_LIMIT), twice, 1);
  require(has("\"name\":\"x.cut\",\"src\":\"fw\",\"cut\":true}}"), "a part of a name");
  forget();
  sl_event(&agent, NULL, NULL, 0);
  sl_completion(&agent, NULL, NULL);
  require(times("\"name\":\"\"") == 2, "an event without a name");
  config.source = filled('s', SL_RECORD_LIMIT);
  forget();
  sl_event(&agent, "e", NULL, 0);
  require(has("\"name\":\"x.cut\",\"src\":\"fw\",\"cut\":true}}"), "a source that is too long");
}

static void longest_run_id(void) {
  begin("the longest run id");
  greet();
  ask("{\"id\":2,\"method\":\"start\",\"params\":{\"run\":\"%s\",\"flow\":\"rtsp-hotspot\"}}\n", filled('\x7F', 64));
  require(has("-32602"), "a run id of control characters");
  char run[129];
  for (size_t i = 0; i < 128; i++) run[i] = i % 2 == 0 ? '\\' : '"';
  run[128] = 0;
  start_run(run);
  require(has("\"id\":2,\"result\""), "64 bytes are a run id");
  agent.last_sequence = INT64_C(9007199254740000);
  forget();
  sl_event_at(&agent, UINT64_MAX, filled('x', SL_RECORD_LIMIT), NULL, 0);
  require(has(run) && has("\"x.cut\"") && has("\"cut\":true}}\n"), "not even its number");
  forget();
  start_run("other");
  require(has("\"code\":-32001") && has(run), "no owner");
}

static void ring_goes_round(void) {
  begin("events that push each other out");
  greet();
  for (int i = 1; i <= 300; i++) {
    const sl_field fields[] = {sl_integer("i", i), sl_free_text("f", filled('f', (size_t)i % 90))};
    sl_event(&agent, "x.e", fields, 2);
  }
  long long since = 0, lost = 0, seen = 0;
  for (int page = 0; page < 200; page++) {
    forget();
    ask("{\"id\":3,\"method\":\"events\",\"params\":{\"since\":%lld}}\n", since);
    for (const char *p = said; (p = strstr(p, "{\"seq\":")) != NULL; p++) {
      const char *i = strstr(p, "\"i\":");
      require(i != NULL && strtoll(p + 7, NULL, 10) == strtoll(i + 4, NULL, 10), "a number of another event");
      seen++;
    }
    const char *next = strstr(said, "],\"next\":"), *more = strstr(said, ",\"lost\":");
    if (next == NULL || more == NULL) break;
    since = strtoll(next + 9, NULL, 10);
    lost += strtoll(more + 8, NULL, 10);
    if (!has("\"more\":true")) break;
  }
  require(since == 300 && seen + lost == 300 && seen > 0, "events are missing");
}

// MARK: Replies

static void log_is_read_to_its_end(void) {
  begin("a log of binary text");
  greet();
  sl_log(&agent, NULL);
  for (size_t i = 1; i < SL_LOG_LINES; i++) {
    sl_log(&agent, filled((char)(i % 3 == 0 ? 0xFF : i % 3 == 1 ? 0x7F : 'l'), SL_LOG_LINE));
  }
  long long since = 0;
  for (int page = 0; since < SL_LOG_LINES && page < SL_LOG_LINES; page++) {
    forget();
    ask("{\"id\":3,\"method\":\"log\",\"params\":{\"since\":%lld,\"max\":1000}}\n", since);
    const char *next = strstr(said, "],\"next\":");
    require(next != NULL, "no page of the log");
    if (next == NULL || strtoll(next + 9, NULL, 10) <= since) break;
    since = strtoll(next + 9, NULL, 10);
  }
  require(since == SL_LOG_LINES, "a line of the log keeps back what follows");
}

static void many_reasons(void) {
  begin("more reasons than a record holds");
  static const char *list[40];
  const char *large = filled('r', SL_RECORD_LIMIT), *middling = filled('s', 200);
  for (size_t i = 0; i < 39; i++) list[i] = i == 0 ? "the battery is \x01 low" : i == 1 ? large : middling;
  reasons = list;
  ask("{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}\n");
  require(has("\"id\":1,\"result\":{") && has("\"ready\":{\"ok\":false,\"reasons\":["), "no greeting");
  require(has("],\"cut\":true}}}\n"), "nothing says that reasons are missing");
  forget();
  ask("{\"id\":2,\"method\":\"state\"}\n");
  require(has("\"id\":2,\"result\":{") && has("\"reasons\":[\"the battery"), "no state");
  forget();
  start_run("r1");
  require(has("\"id\":2,\"error\":{\"code\":-32006") && has("\"reasons\":[\"the battery"), "no refusal");
}

static void open_ranges(void) {
  begin("a range without an end");
  config.i_frame_interval = (sl_range){INT64_MIN, INT64_MAX};
  config.bitrate = (sl_range){-1500000, INT64_MAX};
  ask("{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}\n");
  require(has("\"bitrate\":[-1.5,9007199254.740992]"), "no bit rate");
  require(has("\"iFrameInterval\":[-9007199254,9007199254]"), "no interval");
}

static void faults_without_names(void) {
  static const sl_fault_kind odd[] = {{NULL, NULL, NULL}, {"a\"b", "v", "s"}, {"flow", "hang", NULL}};
  begin("faults that lack a name");
  config.faults = odd;
  config.fault_count = 3;
  ask("{\"id\":1,\"method\":\"hello\",\"params\":{\"v\":[1],\"nonce\":\"n\"}}\n");
  require(has("\"id\":1,\"result\""), "no greeting");
  forget();
  inject_fault(2, "hang");
  require(has("-32005"), "no such fault");
  forget();
  ask("{\"id\":3,\"method\":\"faults\",\"params\":{\"from\":0}}\n");
  require(has("\"faults\":[\" \",\"a\\\"b v\",\"flow hang\"],\"next\":3,\"more\":false"), "no list");
}

static void exponents(void) {
  begin("numbers with an exponent");
  config.bitrate = (sl_range){250000, 8000000};
  greet();
  const char *const right[] = {"25e-1", "2.5", "0.00000025E+7", "2.5e0"}, *const wrong[] = {"2.5e99999", "9e9", "1e-1"};
  for (size_t i = 0; i < 7; i++) {
    forget();
    ask("{\"id\":2,\"method\":\"start\",\"params\":{\"run\":\"r%zu\",\"flow\":\"rtsp-hotspot\",\"params\":"
        "{\"bitrate\":%s,\"qualityFactor\":1,\"iFrameInterval\":1}}}\n", i, i < 4 ? right[i] : wrong[i - 4]);
    require(has(i < 4 ? "\"accepted\":true" : "\"code\":-32004"), i < 4 ? right[i] : wrong[i - 4]);
    sl_finish(&agent, true, NULL);
  }
}

int main(void) {
  report_whether_ready();
  report_in_send();
  large_report_in_send();
  report_in_clock();
  channel_lost_in_send();
  tick_in_send();
  run_ends_in_send();
  run_ends_in_start();
  received_inside();
  slow_start();
  fault_taken_in_inject();
  fault_after_its_time();
  reset_inside_a_read();
  boot_inside_other_functions();
  clock_set_back();
  times_beyond_a_double();
  whole_or_not_at_all();
  messages_share_the_room();
  members_that_cannot_be_whole();
  longest_run_id();
  ring_goes_round();
  log_is_read_to_its_end();
  many_reasons();
  open_ranges();
  faults_without_names();
  exponents();
  return failures > 0 ? 1 : 0;
}
