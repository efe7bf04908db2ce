// An emulated USB bus for unmodified libusb programs: umockdev redirects a program's view of /sys and /dev and hands its
// usbfs ioctls to this process, where devices answer them packet by packet. No root, no kernel USB.
//
// Each device has one interface with a pair of bulk endpoints. Behind the endpoints is its firmware: whatever holds the
// other end of a socket. Only for tests.
#ifndef CMOCKUSB_H
#define CMOCKUSB_H
#include <stddef.h>
#include <stdint.h>

typedef struct mock_usb_bus mock_usb_bus;

// False where this was built without libumockdev.
int mock_usb_is_available(void);
// One bus in a process. NULL where it cannot be made.
mock_usb_bus *mock_usb_bus_new(void);
// Unplugs everything and removes its files.
void mock_usb_bus_free(mock_usb_bus *bus);
// What a program under test needs in its environment as UMOCKDEV_DIR, beside LD_PRELOAD=libumockdev-preload.so.0.
const char *mock_usb_bus_directory(mock_usb_bus *bus);

struct mock_usb_spec {
  const char *port;  // "1-2.3": bus and port chain
  const char *serial, *manufacturer, *product;  // as the kernel shows them in sysfs; NULL: the device has none
  uint16_t vendor_id, product_id;
  uint8_t interface_class, interface_subclass, interface_protocol, interface_number;
  uint8_t endpoint_in, endpoint_out;  // 0: left out
  uint16_t packet;  // wMaxPacketSize
  int speed;  // Mbit/s
};

// Plugs a device in. Returns the firmware's end of its bulk pair (a non-blocking stream socket, the caller's), or -1.
// It ends when the device is unplugged.
int mock_usb_plug(mock_usb_bus *bus, const struct mock_usb_spec *spec);
// Pulls it out, with transfers in flight.
void mock_usb_unplug(mock_usb_bus *bus, const char *port);

enum mock_usb_setting {
  // What the firmware does with its bulk pair. 0 is well-behaved.
  MOCK_USB_DRIP,              // value: at most so many bytes in one IN transfer
  MOCK_USB_NO_ZLP,            // the firmware forgets the zero-length packet that ends a full last packet
  MOCK_USB_NAK,               // value: 1 answers no transfer of either direction until it is set to 0
  MOCK_USB_NAK_AFTER,         // value: takes so many further OUT bytes, then answers no transfer until NAK is set to 0
  MOCK_USB_STALL_IN,          // value: halts the endpoint so many times in all; clear_halt ends each
  MOCK_USB_STALL_OUT,
  MOCK_USB_RESET,             // value: 1 a reset makes the device leave the bus: unplug and plug it then
  MOCK_USB_SLOW_CLEAR,        // value: clear_halt takes so many ms
  MOCK_USB_DENY,              // value: 1 the device node may not be opened
  MOCK_USB_BUSY,              // value: 1 the interface is claimed by somebody else
};
void mock_usb_set(mock_usb_bus *bus, const char *port, enum mock_usb_setting setting, int value);
// Bytes that go to the host before what the firmware says: what a crashed client left behind.
void mock_usb_stale(mock_usb_bus *bus, const char *port, const uint8_t *bytes, size_t count);

// Whoever has the device open is dead, as the kernel sees to it when a process ends: umockdev does not notice the end of
// a process that was killed in the middle of a request.
void mock_usb_forget_hosts(mock_usb_bus *bus, const char *port);

// What the bus saw, since the device was plugged in.
struct mock_usb_facts {
  uint64_t bytes_in, bytes_out;
  uint32_t transfers_in, transfers_out, zero_length_in, zero_length_out;
  uint32_t clear_halts_in, clear_halts_out, claims, releases, resets, opens;
  uint32_t stalled, cancelled;
  uint32_t most_in_flight;       // IN transfers at a time
  uint32_t smallest_buffer;      // of an IN transfer
  uint32_t unaligned_buffers;    // IN transfers whose length is no multiple of wMaxPacketSize
  uint32_t unterminated;         // OUT bytes that the firmware cannot look at: no short packet has ended them
  uint32_t unread;               // bytes that the firmware has said and the host has not taken
  uint32_t open_handles;
};
struct mock_usb_facts mock_usb_facts_of(mock_usb_bus *bus, const char *port);
#endif
