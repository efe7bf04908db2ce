#include "CAV.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(cav_log_line) log_line;
static _Atomic(void *) log_context;
static _Atomic int log_maximum;

static void format_line(void *object, int level, const char *format, va_list arguments) {
  cav_log_line line = atomic_load(&log_line);
  if (!line || level > atomic_load(&log_maximum)) return;
  char text[1024];
  int prefix = 0;
  av_log_format_line2(object, level, format, arguments, text, sizeof text, &prefix);
  const AVClass *type = object ? *(const AVClass **)object : NULL;
  line(atomic_load(&log_context), level, type && type->class_name ? type->class_name : "", text);
}

void cav_set_log(cav_log_line line, void *context, int maximum_level) {
  atomic_store(&log_context, context);
  atomic_store(&log_maximum, maximum_level);
  atomic_store(&log_line, line);
  av_log_set_callback(format_line);
}

static volatile sig_atomic_t stop_signal;

static void note_signal(int number) { stop_signal = number; }

void cav_catch_stop_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_handler = note_signal;
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
}

int cav_stop_signal(void) { return stop_signal; }
