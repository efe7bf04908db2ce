#if __has_include(<umockdev.h>)
#include "mock_usb.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// The descriptors of a device with one interface, as the kernel's `descriptors` file shows them.
static size_t describe(const struct mock_usb_spec *s, int is_hub, uint8_t out[64]) {
  uint8_t device[18] = {18, 1, 0, 2, is_hub ? 9 : 0, 0, 0, 64, s->vendor_id & 0xFF, s->vendor_id >> 8,
                        s->product_id & 0xFF, s->product_id >> 8, 0, 1, s->manufacturer ? 1 : 0, s->product ? 2 : 0,
                        s->serial ? 3 : 0, 1};
  uint8_t endpoints = (s->endpoint_in != 0) + (s->endpoint_out != 0);
  uint8_t total = 9 + 9 + 7 * endpoints;
  uint8_t configuration[9] = {9, 2, total, 0, 1, 1, 0, 0x80, 50};
  uint8_t interface[9] = {9, 4, s->interface_number, 0, endpoints, is_hub ? 9 : s->interface_class,
                          s->interface_subclass, s->interface_protocol, 0};
  size_t n = 0;
  memcpy(out, device, 18), n += 18;
  memcpy(out + n, configuration, 9), n += 9;
  memcpy(out + n, interface, 9), n += 9;
  uint8_t addresses[2] = {s->endpoint_in, s->endpoint_out};
  for (int i = 0; i < 2; i++) {
    if (!addresses[i]) continue;
    uint8_t endpoint[7] = {7, 5, addresses[i], 2, s->packet & 0xFF, s->packet >> 8, 0};
    memcpy(out + n, endpoint, 7), n += 7;
  }
  return n;
}

// Makes the device's files and tells udev of it.
static char *publish(mock_usb_bus *bus, const struct mock_usb_spec *s, const char *name, int is_hub, char node[64]) {
  int bus_number = atoi(name + (strncmp(name, "usb", 3) ? 0 : 3)), address = bus->next_address++;
  if (bus_number < 1) bus_number = 1;
  char busnum[16], devnum[16], padded_bus[16], padded_dev[16], speed[16], vendor[16], product[16], uevent[32];
  snprintf(busnum, sizeof busnum, "%d", bus_number);
  snprintf(devnum, sizeof devnum, "%d", address);
  snprintf(padded_bus, sizeof padded_bus, "%03d", bus_number);
  snprintf(padded_dev, sizeof padded_dev, "%03d", address);
  snprintf(node, 64, "/dev/bus/usb/%03d/%03d", bus_number, address);
  snprintf(speed, sizeof speed, "%d", s->speed ? s->speed : 480);
  snprintf(vendor, sizeof vendor, "%04x", s->vendor_id);
  snprintf(product, sizeof product, "%04x", s->product_id);
  snprintf(uevent, sizeof uevent, "%x/%x/100", s->vendor_id, s->product_id);
  char *attributes[32] = {"busnum", busnum, "devnum", devnum, "speed", speed, "bConfigurationValue", "1", "idVendor",
                          vendor, "idProduct", product};
  const char *names[] = {"serial", "manufacturer", "product"};
  const char *texts[] = {s->serial, s->manufacturer, s->product};
  char *lines[3] = {0};
  int count = 12;
  for (int i = 0; i < 3; i++) {
    if (!texts[i]) continue;
    lines[i] = g_strconcat(texts[i], "\n", NULL);
    attributes[count++] = (char *)names[i];
    attributes[count++] = lines[i];
  }
  char *properties[] = {"DEVNAME", node, "DEVTYPE", "usb_device", "BUSNUM", padded_bus, "DEVNUM", padded_dev,
                        "PRODUCT", uevent, NULL};
  // udev is told as soon as the device is added, and a host may look at it then: its node, a plain file of the testbed
  // whose requests go to the handler, stands before; the descriptors, without which no host takes it, come last.
  char *path = g_build_filename(bus->directory, node, NULL), *folder = g_path_get_dirname(path);
  g_mkdir_with_parents(folder, 0755);
  g_file_set_contents(path, "", 0, NULL);
  chmod(path, 0666);
  g_free(folder);
  g_free(path);
  umockdev_testbed_attach_ioctl(bus->testbed, node, bus->handler, NULL);
  // Who may open the node may speak to its handler.
  char *socket = g_build_filename(bus->directory, "ioctl", node, NULL);
  chmod(socket, 0666);
  g_free(socket);
  char *sysfs = umockdev_testbed_add_devicev(bus->testbed, "usb", name, NULL, attributes, properties);
  for (int i = 0; i < 3; i++) g_free(lines[i]);
  if (!sysfs) return NULL;
  uint8_t descriptors[64];
  size_t size = describe(s, is_hub, descriptors);
  umockdev_testbed_set_attribute_binary(bus->testbed, sysfs, "descriptors", descriptors, (gint)size);
  return sysfs;
}

// Hubs that lead to the device, and the root hub, are there before it.
static void publish_parents(mock_usb_bus *bus, const char *port) {
  struct mock_usb_spec hub = {.vendor_id = 0x1d6b, .product_id = 2, .packet = 512};
  char name[40], node[64];
  snprintf(name, sizeof name, "usb%d", atoi(port));
  for (int depth = 0;; depth++) {
    char *path = g_strdup_printf("%s/sys/devices/%s", bus->directory, name);
    int is_there = g_file_test(path, G_FILE_TEST_EXISTS);
    g_free(path);
    if (!is_there) g_free(publish(bus, &hub, name, 1, node));
    // The port chain up to the next dot.
    const char *at = strchr(port, '-');
    for (int i = 0; at && i <= depth; i++) at = strchr(at + 1, '.');
    if (!at) return;
    snprintf(name, sizeof name, "%.*s", (int)(at - port), port);
  }
}

static int attach(mock_usb_bus *bus, mock_device *d) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) return -1;
  publish_parents(bus, d->port);
  d->sysfs = publish(bus, &d->spec, d->port, 0, d->node);
  if (!d->sysfs) {
    close(pair[0]);
    close(pair[1]);
    return -1;
  }
  d->firmware = pair[0];
  pthread_mutex_lock(&bus->lock);
  d->next = bus->devices;
  bus->devices = d;
  pthread_mutex_unlock(&bus->lock);
  umockdev_testbed_uevent(bus->testbed, d->sysfs, "add");
  mock_wake(bus);
  return pair[1];
}

int mock_usb_plug(mock_usb_bus *bus, const struct mock_usb_spec *spec) {
  mock_device *d = calloc(1, sizeof *d);
  if (!d || strlen(spec->port) >= sizeof d->port) {
    free(d);
    return -1;
  }
  d->bus = bus;
  d->spec = *spec;
  snprintf(d->port, sizeof d->port, "%s", spec->port);
  d->spec.port = d->port;
  d->spec.serial = spec->serial ? strdup(spec->serial) : NULL;
  d->spec.manufacturer = spec->manufacturer ? strdup(spec->manufacturer) : NULL;
  d->spec.product = spec->product ? strdup(spec->product) : NULL;
  d->firmware = -1;
  return attach(bus, d);
}

static void leave(mock_usb_bus *bus, mock_device *d) {
  pthread_mutex_lock(&bus->lock);
  for (mock_device **at = &bus->devices; *at; at = &(*at)->next) {
    if (*at != d) continue;
    *at = d->next;
    break;
  }
  mock_detach(d);
  d->next = bus->leaving;
  bus->leaving = d;
  pthread_mutex_unlock(&bus->lock);
  umockdev_testbed_uevent(bus->testbed, d->sysfs, "remove");
  // Its handler stays: a host may have the node half open, and no two devices ever have the same one.
  umockdev_testbed_remove_device(bus->testbed, d->sysfs);
  char *path = g_build_filename(bus->directory, d->node, NULL);
  unlink(path);
  g_free(path);
}

void mock_usb_unplug(mock_usb_bus *bus, const char *port) {
  pthread_mutex_lock(&bus->lock);
  mock_device *d = mock_find(bus, port);
  pthread_mutex_unlock(&bus->lock);
  if (d) leave(bus, d);
}
#endif
