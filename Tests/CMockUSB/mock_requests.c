#if __has_include(<umockdev.h>)
#include "mock_usb.h"
#include <errno.h>
#include <linux/usb/ch9.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

typedef struct {
  UMockdevIoctlBase parent;
  mock_usb_bus *bus;
} MockHandler;
typedef struct {
  UMockdevIoctlBaseClass parent;
} MockHandlerClass;
GType mock_handler_get_type(void);
G_DEFINE_TYPE(MockHandler, mock_handler, UMOCKDEV_TYPE_IOCTL_BASE)

static gboolean answer(UMockdevIoctlClient *client, int error) {
  umockdev_ioctl_client_complete(client, error ? -1 : 0, error);
  return TRUE;
}

// The device behind a descriptor: one that is plugged in, or one that has gone while the descriptor was open.
static mock_device *device_of(mock_usb_bus *bus, UMockdevIoctlClient *client) {
  for (mock_device *d = bus->devices; d; d = d->next)
    for (mock_handle *h = d->handles; h; h = h->next)
      if (h->client == client) return d;
  for (mock_device *d = bus->leaving; d; d = d->next)
    for (mock_handle *h = d->handles; h; h = h->next)
      if (h->client == client) return d;
  return NULL;
}

static mock_handle *handle_of(mock_device *d, UMockdevIoctlClient *client) {
  for (mock_handle *h = d->handles; h; h = h->next)
    if (h->client == client) return h;
  return NULL;
}

static void connected(UMockdevIoctlBase *base, UMockdevIoctlClient *client) {
  mock_usb_bus *bus = ((MockHandler *)base)->bus;
  pthread_mutex_lock(&bus->lock);
  const char *node = umockdev_ioctl_client_get_devnode(client);
  mock_device *d = mock_find_node(bus, node);
  for (mock_device *gone = bus->leaving; !d && gone; gone = gone->next)
    if (!strcmp(gone->node, node)) d = gone;
  mock_handle *h = d ? calloc(1, sizeof *h) : NULL;
  if (h) {
    *h = (mock_handle){d->handles, g_object_ref(client), 0};
    d->handles = h;
    d->facts.opens++;
  }
  pthread_mutex_unlock(&bus->lock);
}

static gboolean submit(mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *arg) {
  if (d->gone) return answer(client, ENODEV);
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
  struct usbdevfs_urb *urb = data ? (struct usbdevfs_urb *)data->data : NULL;
  if (!urb || urb->buffer_length < 0 || urb->buffer_length > 1 << 20) return answer(client, EINVAL);
  int length = urb->buffer_length, isIn = urb->endpoint & 0x80;
  mock_urb *u = calloc(1, sizeof *u);
  if (!u) return answer(client, ENOMEM);
  u->client = g_object_ref(client);
  u->urb = data;
  if (length > 0)
    u->buffer =
        umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer), (gsize)length, NULL);
  urb = (struct usbdevfs_urb *)data->data;
  mock_urb **at = &d->urbs;
  while (*at) at = &(*at)->next;
  *at = u;
  if (urb->type == USBDEVFS_URB_TYPE_CONTROL) {
    // Whatever is asked of endpoint 0 here is not supported: a stall, as devices answer.
    struct usbdevfs_urb changed = *urb;
    changed.status = -EPIPE;
    umockdev_ioctl_data_update(data, 0, (guint8 *)&changed, sizeof changed);
    u->done = 1;
  } else if (isIn) {
    if (d->facts.smallest_buffer == 0 || (uint32_t)length < d->facts.smallest_buffer)
      d->facts.smallest_buffer = (uint32_t)length;
    if (d->spec.packet && length % d->spec.packet != 0) d->facts.unaligned_buffers++;
  }
  answer(client, 0);
  mock_pump(d);
  return TRUE;
}

static gboolean discard(mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *arg) {
  gulong wanted;
  memcpy(&wanted, arg->data, sizeof wanted);
  for (mock_urb *u = d->urbs; u; u = u->next) {
    if (u->client != client || u->urb->client_addr != wanted) continue;
    if (u->done) break;
    // What has come so far is the host's.
    struct usbdevfs_urb changed = *(struct usbdevfs_urb *)u->urb->data;
    changed.status = -ENOENT;
    changed.actual_length = u->filled;
    umockdev_ioctl_data_update(u->urb, 0, (guint8 *)&changed, sizeof changed);
    u->done = 1;
    d->facts.cancelled++;
    if (changed.endpoint & 0x80) d->facts.bytes_in += (uint64_t)u->filled;
    answer(client, 0);
    mock_pump(d);
    return TRUE;
  }
  return answer(client, EINVAL);
}

static gboolean clear_halt(mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *arg) {
  UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, sizeof(guint32), NULL);
  if (!data) return answer(client, EFAULT);
  guint32 endpoint;
  memcpy(&endpoint, data->data, sizeof endpoint);
  umockdev_ioctl_data_unref(data);
  if (d->gone) return answer(client, ENODEV);
  int isIn = (endpoint & 0x80) != 0, setting = isIn ? MOCK_USB_STALL_IN : MOCK_USB_STALL_OUT;
  int *halted = isIn ? &d->halted_in : &d->halted_out;
  *(isIn ? &d->facts.clear_halts_in : &d->facts.clear_halts_out) += 1;
  if (*halted) d->setting[setting]--;
  *halted = d->setting[setting] > 0;
  if (d->setting[MOCK_USB_SLOW_CLEAR] > 0) {
    mock_late *late = calloc(1, sizeof *late);
    if (!late) return answer(client, ENOMEM);
    *late = (mock_late){d->late, g_object_ref(client), mock_now_ms() + d->setting[MOCK_USB_SLOW_CLEAR]};
    d->late = late;
    mock_wake(d->bus);
    return TRUE;
  }
  answer(client, 0);
  mock_pump(d);
  return TRUE;
}

static gboolean claim(mock_device *d, UMockdevIoctlClient *client) {
  if (d->gone) return answer(client, ENODEV);
  mock_open_handles(d);
  for (mock_handle *h = d->handles; h; h = h->next)
    if (h->claimed && h->client != client) return answer(client, EBUSY);
  if (d->setting[MOCK_USB_BUSY]) return answer(client, EBUSY);
  mock_handle *mine = handle_of(d, client);
  if (mine) mine->claimed = 1;
  d->facts.claims++;
  return answer(client, 0);
}

static gboolean reset(mock_device *d, UMockdevIoctlClient *client) {
  if (d->gone) return answer(client, ENODEV);
  d->facts.resets++;
  int leaves = d->setting[MOCK_USB_RESET];
  d->pending_count = 0;
  d->outgoing_count = d->outgoing_held = 0;
  d->halted_in = d->halted_out = 0;
  d->setting[MOCK_USB_STALL_IN] = d->setting[MOCK_USB_STALL_OUT] = 0;
  if (!leaves) return answer(client, 0);
  // It comes back as another device: this one is gone.
  answer(client, ENODEV);
  mock_detach(d);
  return TRUE;
}

static gboolean handle(UMockdevIoctlBase *base, UMockdevIoctlClient *client) {
  mock_usb_bus *bus = ((MockHandler *)base)->bus;
  pthread_mutex_lock(&bus->lock);
  gulong request = umockdev_ioctl_client_get_request(client);
  UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);
  mock_device *d = device_of(bus, client);
  gboolean handled = TRUE;
  if (!d) {
    handled = answer(client, ENODEV);
  } else {
    switch (request) {
      case USBDEVFS_GET_CAPABILITIES: {
        guint32 caps = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_BULK_CONTINUATION | USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
                       USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
        UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, sizeof caps, NULL);
        if (data) {
          umockdev_ioctl_data_update(data, 0, (guint8 *)&caps, sizeof caps);
          umockdev_ioctl_data_unref(data);
        }
        answer(client, data ? 0 : EFAULT);
        break;
      }
      case USBDEVFS_GETDRIVER: answer(client, ENODATA); break;
      case USBDEVFS_CLAIMINTERFACE:
      case USBDEVFS_DISCONNECT_CLAIM: claim(d, client); break;
      case USBDEVFS_RELEASEINTERFACE: {
        mock_handle *mine = handle_of(d, client);
        if (mine) mine->claimed = 0;
        d->facts.releases++;
        answer(client, d->gone ? ENODEV : 0);
        break;
      }
      case USBDEVFS_SETINTERFACE:
      case USBDEVFS_SETCONFIGURATION: answer(client, d->gone ? ENODEV : 0); break;
      case USBDEVFS_RESET: reset(d, client); break;
      case USBDEVFS_CLEAR_HALT: clear_halt(d, client, arg); break;
      case USBDEVFS_SUBMITURB: submit(d, client, arg); break;
      case USBDEVFS_DISCARDURB: discard(d, client, arg); break;
      case USBDEVFS_REAPURB:
      case USBDEVFS_REAPURBNDELAY: {
        UMockdevIoctlData *pointer = umockdev_ioctl_data_resolve(arg, 0, sizeof(void *), NULL);
        if (!pointer || !mock_reap_soon(d, client, pointer)) answer(client, EFAULT);
        if (pointer) umockdev_ioctl_data_unref(pointer);
        break;
      }
      default: handled = FALSE;
    }
  }
  pthread_mutex_unlock(&bus->lock);
  return handled;
}

static void mock_handler_class_init(MockHandlerClass *class) {
  class->parent.handle_ioctl = handle;
  class->parent.client_connected = connected;
}
static void mock_handler_init(MockHandler *self) { self->bus = NULL; }

UMockdevIoctlBase *mock_handler_new(mock_usb_bus *bus) {
  MockHandler *handler = g_object_new(mock_handler_get_type(), NULL);
  handler->bus = bus;
  return (UMockdevIoctlBase *)handler;
}
#endif
