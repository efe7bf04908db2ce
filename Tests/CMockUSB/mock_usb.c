#include "CMockUSB.h"

#if __has_include(<umockdev.h>)
#include "mock_usb.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int64_t mock_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void mock_wake(mock_usb_bus *bus) {
  uint64_t one = 1;
  if (write(bus->wake, &one, sizeof one) < 0) return;
}

mock_device *mock_find(mock_usb_bus *bus, const char *port) {
  for (mock_device *d = bus->devices; d; d = d->next)
    if (!strcmp(d->port, port)) return d;
  return NULL;
}

mock_device *mock_find_node(mock_usb_bus *bus, const char *node) {
  for (mock_device *d = bus->devices; d; d = d->next)
    if (!strcmp(d->node, node)) return d;
  return NULL;
}

int mock_usb_is_available(void) { return 1; }

// MARK: The thread that moves bytes between the firmware's sockets and the endpoints

// Takes what the firmware has said, but no more than it must: the rest waits in the socket, as on a real device.
static void fill(mock_device *d) {
  while (d->firmware >= 0 && d->pending_count < MOCK_PENDING / 2) {
    ssize_t n = read(d->firmware, d->pending + d->pending_count, MOCK_PENDING - d->pending_count);
    if (n == 0) {
      // It let its end go; what it said before stays.
      close(d->firmware);
      d->firmware = -1;
    }
    if (n <= 0) return;
    d->pending_count += (size_t)n;
  }
}

static void *work(void *opaque) {
  mock_usb_bus *bus = opaque;
  for (;;) {
    struct pollfd fds[MOCK_DEVICES + 1];
    int count = 1, wait = -1;
    fds[0] = (struct pollfd){.fd = bus->wake, .events = POLLIN};
    pthread_mutex_lock(&bus->lock);
    int stopping = bus->stopping;
    int64_t now = mock_now_ms();
    for (mock_device *d = bus->devices; d; d = d->next) {
      if (d->firmware >= 0 && d->pending_count < MOCK_PENDING / 2 && count <= MOCK_DEVICES)
        fds[count++] = (struct pollfd){.fd = d->firmware, .events = POLLIN | (d->outgoing_count ? POLLOUT : 0)};
      else if (d->firmware >= 0 && d->outgoing_count && count <= MOCK_DEVICES)
        fds[count++] = (struct pollfd){.fd = d->firmware, .events = POLLOUT};
      int64_t due = mock_next_deadline(d);
      if (due >= 0) {
        int left = due <= now ? 0 : (int)(due - now);
        if (wait < 0 || left < wait) wait = left;
      }
    }
    pthread_mutex_unlock(&bus->lock);
    if (stopping) return NULL;
    poll(fds, (nfds_t)count, wait);
    uint64_t drained;
    if (read(bus->wake, &drained, sizeof drained) < 0) drained = 0;
    pthread_mutex_lock(&bus->lock);
    for (mock_device *d = bus->devices; d; d = d->next) {
      fill(d);
      mock_pump(d);
    }
    pthread_mutex_unlock(&bus->lock);
  }
}

// MARK: Bus

mock_usb_bus *mock_usb_bus_new(void) {
  mock_usb_bus *bus = calloc(1, sizeof *bus);
  if (!bus) return NULL;
  pthread_mutex_init(&bus->lock, NULL);
  bus->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bus->testbed = umockdev_testbed_new();
  bus->directory = umockdev_testbed_get_root_dir(bus->testbed);
  // Programs of other users look at it too, and put their ends of sockets into it.
  chmod(bus->directory, 0777);
  bus->handler = mock_handler_new(bus);
  bus->next_address = 2;
  if (pthread_create(&bus->thread, NULL, work, bus) != 0) return NULL;
  return bus;
}

const char *mock_usb_bus_directory(mock_usb_bus *bus) { return bus->directory; }

void mock_usb_bus_free(mock_usb_bus *bus) {
  while (bus->devices) mock_usb_unplug(bus, bus->devices->port);
  pthread_mutex_lock(&bus->lock);
  bus->stopping = 1;
  pthread_mutex_unlock(&bus->lock);
  mock_wake(bus);
  pthread_join(bus->thread, NULL);
  // The library's own thread may still be in a callback: the bus itself stays until the process ends.
  g_object_unref(bus->testbed);
  bus->testbed = NULL;
}

void mock_usb_set(mock_usb_bus *bus, const char *port, enum mock_usb_setting setting, int value) {
  pthread_mutex_lock(&bus->lock);
  mock_device *d = mock_find(bus, port);
  if (d) {
    d->setting[setting] = value;
    if (setting == MOCK_USB_NAK && !value) d->naks = 0;
    if (setting == MOCK_USB_NAK && value) d->naks = 1;
    if (setting == MOCK_USB_NAK_AFTER) d->naks_after = value + 1;
    if (setting == MOCK_USB_STALL_IN && value) d->halted_in = 1;
    if (setting == MOCK_USB_STALL_OUT && value) d->halted_out = 1;
    if (setting == MOCK_USB_DENY) {
      char *path = g_build_filename(bus->directory, d->node, NULL);
      chmod(path, value ? 0000 : 0666);
      g_free(path);
    }
    mock_pump(d);
  }
  pthread_mutex_unlock(&bus->lock);
}

void mock_usb_stale(mock_usb_bus *bus, const char *port, const uint8_t *bytes, size_t count) {
  pthread_mutex_lock(&bus->lock);
  mock_device *d = mock_find(bus, port);
  if (d && count <= MOCK_PENDING - d->pending_count) {
    memmove(d->pending + count, d->pending, d->pending_count);
    memcpy(d->pending, bytes, count);
    d->pending_count += count;
    mock_pump(d);
  }
  pthread_mutex_unlock(&bus->lock);
}

void mock_usb_forget_hosts(mock_usb_bus *bus, const char *port) {
  pthread_mutex_lock(&bus->lock);
  mock_device *d = mock_find(bus, port);
  if (d) mock_forget(d, 1);
  pthread_mutex_unlock(&bus->lock);
}

struct mock_usb_facts mock_usb_facts_of(mock_usb_bus *bus, const char *port) {
  pthread_mutex_lock(&bus->lock);
  mock_device *d = mock_find(bus, port);
  struct mock_usb_facts facts = {0};
  if (d) {
    facts = d->facts;
    facts.open_handles = mock_open_handles(d);
    facts.unterminated = (uint32_t)d->outgoing_held;
    facts.unread = (uint32_t)d->pending_count;
  }
  pthread_mutex_unlock(&bus->lock);
  return facts;
}

#else

int mock_usb_is_available(void) { return 0; }
mock_usb_bus *mock_usb_bus_new(void) { return NULL; }
void mock_usb_bus_free(mock_usb_bus *bus) { (void)bus; }
const char *mock_usb_bus_directory(mock_usb_bus *bus) { (void)bus; return ""; }
int mock_usb_plug(mock_usb_bus *bus, const struct mock_usb_spec *spec) { (void)bus; (void)spec; return -1; }
void mock_usb_unplug(mock_usb_bus *bus, const char *port) { (void)bus; (void)port; }
void mock_usb_set(mock_usb_bus *bus, const char *port, enum mock_usb_setting setting, int value) {
  (void)bus; (void)port; (void)setting; (void)value;
}
void mock_usb_stale(mock_usb_bus *bus, const char *port, const uint8_t *bytes, size_t count) {
  (void)bus; (void)port; (void)bytes; (void)count;
}
void mock_usb_forget_hosts(mock_usb_bus *bus, const char *port) { (void)bus; (void)port; }
struct mock_usb_facts mock_usb_facts_of(mock_usb_bus *bus, const char *port) {
  (void)bus; (void)port;
  return (struct mock_usb_facts){0};
}
#endif
