// What the files of CMockUSB share. `bus->lock` guards everything but what is written once.
#ifndef MOCK_USB_INTERNAL_H
#define MOCK_USB_INTERNAL_H
#define _GNU_SOURCE
#include "CMockUSB.h"
#include <linux/usbdevice_fs.h>
#include <pthread.h>
#include <umockdev.h>

enum { MOCK_PENDING = 1 << 17, MOCK_DEVICES = 16, MOCK_SETTINGS = 16 };

// One transfer that the host submitted (a "URB"), from submission until it is reaped.
typedef struct mock_urb {
  struct mock_urb *next;
  UMockdevIoctlClient *client;
  UMockdevIoctlData *urb, *buffer;
  int filled;  // bytes so far
  int done;
} mock_urb;

// A host that asked for a finished transfer when there was none: it is told so a little later. Under umockdev a usbfs
// descriptor always polls as ready, and an answer at once would make the host spin.
typedef struct mock_reap {
  struct mock_reap *next;
  UMockdevIoctlClient *client;
  UMockdevIoctlData *pointer;
  int64_t deadline;
} mock_reap;

// The reply to a request that takes time.
typedef struct mock_late {
  struct mock_late *next;
  UMockdevIoctlClient *client;
  int64_t deadline;
} mock_late;

typedef struct mock_handle {
  struct mock_handle *next;
  UMockdevIoctlClient *client;
  int claimed;
} mock_handle;

typedef struct mock_device {
  struct mock_device *next;
  mock_usb_bus *bus;
  struct mock_usb_spec spec;  // its strings are copies
  char port[32], node[64];
  char *sysfs;
  int firmware;  // our end; -1 when it is gone
  int gone;
  uint8_t pending[MOCK_PENDING];  // from the firmware, not yet taken by the host
  size_t pending_count;
  int owes_zlp;  // the last IN packet was full and nothing followed
  uint8_t outgoing[MOCK_PENDING];  // from the host, not yet taken by the firmware
  size_t outgoing_count, outgoing_held;  // held: the transfer has not ended with a short packet
  int setting[MOCK_SETTINGS];
  int naks, naks_after;
  int halted_in, halted_out;
  mock_urb *urbs;
  mock_reap *reaps;
  mock_late *late;
  mock_handle *handles;
  struct mock_usb_facts facts;
} mock_device;

struct mock_usb_bus {
  pthread_mutex_t lock;
  pthread_t thread;
  int wake;
  int stopping;
  UMockdevTestbed *testbed;
  UMockdevIoctlBase *handler;
  char *directory;
  int next_address;
  mock_device *devices;
  mock_device *leaving;  // unplugged, with hosts that have not closed them
};

int64_t mock_now_ms(void);
void mock_wake(mock_usb_bus *bus);
mock_device *mock_find(mock_usb_bus *bus, const char *port);
mock_device *mock_find_node(mock_usb_bus *bus, const char *node);
// Moves packets and answers who waits. With the lock held.
void mock_pump(mock_device *device);
// Monotonic ms, -1: none.
int64_t mock_next_deadline(mock_device *device);
// Drops the hosts that have closed the device, or all of them, with their transfers. With the lock held.
void mock_forget(mock_device *device, int all);
uint32_t mock_open_handles(mock_device *device);
// Answers a request for a finished transfer, now or a little later; false where that fails. With the lock held.
int mock_reap_soon(mock_device *device, UMockdevIoctlClient *client, UMockdevIoctlData *pointer);
UMockdevIoctlBase *mock_handler_new(mock_usb_bus *bus);
// Fails all transfers and further requests. With the lock held.
void mock_detach(mock_device *device);
#endif
