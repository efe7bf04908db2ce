// Each endpoint has a thread of its own, for FunctionFS blocks while the host does nothing: an agent that wrote to the
// endpoint itself would stand still as soon as nobody reads.
#include "bulk_pair.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/usb/functionfs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE = 16384, FULL_SPEED_PACKET = 64, HIGH_SPEED_PACKET = 512 };

typedef struct {
  struct usb_interface_descriptor interface;
  struct usb_endpoint_descriptor_no_audio in, out;
} __attribute__((packed)) descriptors;

#define INTERFACE                                                                                               \
  {.bLength = USB_DT_INTERFACE_SIZE, .bDescriptorType = USB_DT_INTERFACE, .bNumEndpoints = 2,                   \
   .bInterfaceClass = 0xFF, .bInterfaceSubClass = 0x53, .bInterfaceProtocol = 0x01, .iInterface = 1}
#define BULK(address, packet)                                                                                   \
  {.bLength = USB_DT_ENDPOINT_SIZE, .bDescriptorType = USB_DT_ENDPOINT, .bEndpointAddress = address,            \
   .bmAttributes = USB_ENDPOINT_XFER_BULK, .wMaxPacketSize = packet}
#define SPEED(packet) {INTERFACE, BULK(USB_DIR_IN | 1, packet), BULK(USB_DIR_OUT | 2, packet)}

static int control, in, out;
static int event_pipe[2], byte_pipe[2];
static pthread_t reader;
static volatile sig_atomic_t halts_out;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint8_t queue[QUEUE];
static size_t queued;
static bool halts_in, writing;

static void pause_ms(unsigned milliseconds) {
  struct timespec t = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  nanosleep(&t, NULL);
}

// MARK: IN

static void *write_in(void *unused) {
  (void)unused;
  static uint8_t piece[QUEUE];
  pthread_mutex_lock(&lock);
  for (;;) {
    while (queued == 0 && !halts_in) pthread_cond_wait(&changed, &lock);
    size_t count = queued;
    bool halts = count == 0;
    if (halts) halts_in = false;
    memcpy(piece, queue, count);
    queued = 0;
    writing = true;
    pthread_mutex_unlock(&lock);
    if (halts) {
      // Reading where only writing makes sense is how FunctionFS is told to halt the endpoint.
      ssize_t n = read(in, piece, 0);
      printf("halt IN: %s\n", n < 0 && errno == EBADMSG ? "done" : strerror(errno));
    } else {
      // Lost where the device left the bus meanwhile. A full last packet does not end a transfer: an empty one does.
      ssize_t n = write(in, piece, count);
      if (n == (ssize_t)count && count % FULL_SPEED_PACKET == 0 && write(in, piece, 0) < 0) n = -1;
      if (n < 0 && errno != ESHUTDOWN && errno != EINTR) pause_ms(10);
    }
    pthread_mutex_lock(&lock);
    writing = false;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

bool bulk_send(const uint8_t *bytes, size_t count) {
  pthread_mutex_lock(&lock);
  bool fits = count <= sizeof queue - queued;
  if (fits) {
    memcpy(queue + queued, bytes, count);
    queued += count;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return fits;
}

void bulk_forget(void) {
  pthread_mutex_lock(&lock);
  queued = 0;
  pthread_mutex_unlock(&lock);
}

void bulk_flush(unsigned milliseconds) {
  for (unsigned waited = 0; waited < milliseconds; waited++) {
    pthread_mutex_lock(&lock);
    bool idle = queued == 0 && !writing;
    pthread_mutex_unlock(&lock);
    if (idle) return;
    pause_ms(1);
  }
}

void bulk_halt_in(void) {
  pthread_mutex_lock(&lock);
  halts_in = true;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

// MARK: OUT

static void *read_out(void *unused) {
  (void)unused;
  // Large enough for any transfer of the host's, and whole packets.
  static uint8_t bytes[16384];
  for (;;) {
    if (halts_out) {
      halts_out = 0;
      ssize_t n = write(out, bytes, 0);
      printf("halt OUT: %s\n", n < 0 && errno == EBADMSG ? "done" : strerror(errno));
    }
    ssize_t n = read(out, bytes, sizeof bytes);
    for (ssize_t done = 0; done < n;) {
      ssize_t passed = write(byte_pipe[1], bytes + done, (size_t)(n - done));
      if (passed < 0 && errno != EINTR) return NULL;
      if (passed > 0) done += passed;
    }
    // ESHUTDOWN: off the bus; the next read waits until it is back.
    if (n < 0 && errno != EINTR && errno != ESHUTDOWN) pause_ms(10);
  }
}

static void wake(int number) { (void)number; }

void bulk_halt_out(void) {
  halts_out = 1;
  // Ends the read that waits for the host.
  pthread_kill(reader, SIGALRM);
}

// MARK: The device

// What the host asks of the interface itself: nothing is known, so everything is refused, by a stall of endpoint 0.
static void refuse(const struct usb_ctrlrequest *request) {
  char none = 0;
  ssize_t n = request->bRequestType & USB_DIR_IN ? read(control, &none, 0) : write(control, &none, 0);
  (void)n;
}

static void *watch_control(void *unused) {
  (void)unused;
  for (;;) {
    struct usb_functionfs_event event;
    ssize_t n = read(control, &event, sizeof event);
    if (n < 0 && errno == EINTR) continue;
    if (n != (ssize_t)sizeof event) return NULL;
    char what = 0;
    switch (event.type) {
      case FUNCTIONFS_ENABLE: what = BULK_ENABLED; break;
      case FUNCTIONFS_DISABLE:
      case FUNCTIONFS_UNBIND: what = BULK_DISABLED; break;
      case FUNCTIONFS_SETUP: refuse(&event.u.setup); break;
      default: break;
    }
    if (what != 0 && write(event_pipe[1], &what, 1) != 1) return NULL;
  }
}

static int open_endpoint(const char *folder, int number) {
  char path[256];
  snprintf(path, sizeof path, "%s/ep%d", folder, number);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) perror(path);
  return fd;
}

static bool describe(void) {
  static const struct {
    struct usb_functionfs_descs_head_v2 head;
    __le32 full_count, high_count;
    descriptors full, high;
  } __attribute__((packed)) what = {
      .head = {.magic = FUNCTIONFS_DESCRIPTORS_MAGIC_V2, .length = sizeof what,
               .flags = FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC},
      .full_count = 3, .high_count = 3, .full = SPEED(FULL_SPEED_PACKET), .high = SPEED(HIGH_SPEED_PACKET)};
  static const struct {
    struct usb_functionfs_strings_head head;
    __le16 language;
    char interface[11];
  } __attribute__((packed)) names = {
      .head = {.magic = FUNCTIONFS_STRINGS_MAGIC, .length = sizeof names, .str_count = 1, .lang_count = 1},
      .language = 0x0409, .interface = "stage-link"};
  return write(control, &what, sizeof what) == (ssize_t)sizeof what
         && write(control, &names, sizeof names) == (ssize_t)sizeof names;
}

bool bulk_open(bulk_pair *pair, const char *folder) {
  control = open_endpoint(folder, 0);
  if (control < 0) return false;
  if (!describe()) {
    perror("the descriptors of the interface");
    return false;
  }
  in = open_endpoint(folder, 1);
  out = open_endpoint(folder, 2);
  if (in < 0 || out < 0 || pipe2(event_pipe, O_CLOEXEC) != 0 || pipe2(byte_pipe, O_CLOEXEC) != 0) return false;
  struct sigaction action = {.sa_handler = wake};
  sigaction(SIGALRM, &action, NULL);
  pthread_t writer, watcher;
  if (pthread_create(&reader, NULL, read_out, NULL) != 0 || pthread_create(&writer, NULL, write_in, NULL) != 0
      || pthread_create(&watcher, NULL, watch_control, NULL) != 0) {
    fprintf(stderr, "no threads\n");
    return false;
  }
  *pair = (bulk_pair){event_pipe[0], byte_pipe[0]};
  return true;
}
