// The door to libavformat, libavcodec and libavutil for the helper executable, and to nothing else.
//
// Admission rule: a declaration stands below only if Swift cannot say it itself: a function-like macro, a macro
// with a cast, a C va_list, or a store that must be safe inside a signal handler. Each says which of these it is.
#ifndef CAV_H
#define CAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

// AVERROR(e) is a function-like macro.
static inline int cav_error(int posix_code) { return AVERROR(posix_code); }

// These are macros over FFERRTAG(...), a function-like macro.
static inline int cav_error_eof(void) { return AVERROR_EOF; }
static inline int cav_error_exit(void) { return AVERROR_EXIT; }
static inline int cav_error_invalid_data(void) { return AVERROR_INVALIDDATA; }

// AV_NOPTS_VALUE is a macro with a cast.
static inline int64_t cav_no_pts(void) { return AV_NOPTS_VALUE; }

// LIBAV*_IDENT are pasted string macros.
static inline const char *cav_version(void) { return LIBAVFORMAT_IDENT " " LIBAVCODEC_IDENT; }

// One line of libav's log: the level (AV_LOG_*), the class of the object that logged ("" if none) and the text.
// Valid during the call only. May be called on any thread.
typedef void (*cav_log_line)(void *context, int level, const char *source, const char *text);

// av_log_set_callback hands over a va_list, which Swift cannot read. Lines above `maximum_level` are dropped.
// Call once, before any other libav call.
void cav_set_log(cav_log_line line, void *context, int maximum_level);

// A signal handler may touch nothing but a sig_atomic_t. SIGTERM, SIGINT and SIGHUP set the flag and nothing else;
// SIGPIPE is ignored. A blocking call ends with EINTR (no SA_RESTART).
void cav_catch_stop_signals(void);
int cav_stop_signal(void);

#endif
