#if __has_include(<umockdev.h>)
#include "mock_usb.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct usbdevfs_urb *of(mock_urb *u) { return (struct usbdevfs_urb *)u->urb->data; }

// How long a host waits for the news that nothing is finished.
enum { REAP_PATIENCE_MS = 1 };

static void finish(mock_urb *u, int status, int length) {
  struct usbdevfs_urb changed = *of(u);
  changed.status = status;
  changed.actual_length = length;
  umockdev_ioctl_data_update(u->urb, 0, (guint8 *)&changed, sizeof changed);
  u->done = 1;
}

static void drop(mock_urb *u) {
  if (u->buffer) umockdev_ioctl_data_unref(u->buffer);
  umockdev_ioctl_data_unref(u->urb);
  g_object_unref(u->client);
  free(u);
}

void mock_forget(mock_device *d, int all) {
  for (mock_urb **at = &d->urbs; *at;) {
    mock_urb *u = *at;
    if (!all && umockdev_ioctl_client_get_connected(u->client)) {
      at = &u->next;
      continue;
    }
    *at = u->next;
    drop(u);
  }
  for (mock_handle **at = &d->handles; *at;) {
    mock_handle *h = *at;
    if (!all && umockdev_ioctl_client_get_connected(h->client)) {
      at = &h->next;
      continue;
    }
    *at = h->next;
    g_object_unref(h->client);
    free(h);
  }
}

uint32_t mock_open_handles(mock_device *d) {
  mock_forget(d, 0);
  uint32_t count = 0;
  for (mock_handle *h = d->handles; h; h = h->next) count++;
  return count;
}

static void give(mock_device *d, mock_urb *u) {
  d->facts.transfers_in++;
  d->facts.bytes_in += (uint64_t)u->filled;
  if (u->filled == 0) d->facts.zero_length_in++;
  finish(u, 0, u->filled);
}

// Packets from the firmware into one IN transfer, until a short packet or a full buffer ends it.
static void pump_in(mock_device *d, mock_urb *u) {
  int packet = d->spec.packet ? d->spec.packet : 512, room = of(u)->buffer_length;
  while (!u->done) {
    int left = room - u->filled, most = packet;
    int drip = d->setting[MOCK_USB_DRIP];
    if (drip > 0 && drip < most) most = drip;
    if (d->pending_count == 0) {
      // A full packet was the last: a zero-length one says that it was the end.
      if (d->owes_zlp && !d->setting[MOCK_USB_NO_ZLP]) {
        d->owes_zlp = 0;
        give(d, u);
      }
      return;
    }
    if (left == 0) return give(d, u);
    int take = (int)d->pending_count < most ? (int)d->pending_count : most;
    if (take > left) take = left;
    umockdev_ioctl_data_update(u->buffer, (gsize)u->filled, d->pending, take);
    d->pending_count -= (size_t)take;
    memmove(d->pending, d->pending + take, d->pending_count);
    u->filled += take;
    d->owes_zlp = take == packet;
    if (take < packet || u->filled == room) give(d, u);
  }
}

// One OUT transfer into the firmware's inbox. The firmware waits for a short packet before it looks at what came.
static void pump_out(mock_device *d, mock_urb *u) {
  int packet = d->spec.packet ? d->spec.packet : 512, length = of(u)->buffer_length;
  int room = (int)(MOCK_PENDING - d->outgoing_count), take = length - u->filled;
  if (take > room) take = room / packet * packet;
  if (d->naks_after && take >= d->naks_after - 1) {
    take = d->naks_after - 1;
    d->naks = 1;
    d->naks_after = 0;
  } else if (d->naks_after) {
    d->naks_after -= take;
  }
  memcpy(d->outgoing + d->outgoing_count, u->buffer->data + u->filled, (size_t)take);
  d->outgoing_count += (size_t)take;
  u->filled += take;
  if (u->filled < length) return;
  d->facts.transfers_out++;
  d->facts.bytes_out += (uint64_t)length;
  int ends = length % packet != 0 || length == 0 || (of(u)->flags & USBDEVFS_URB_ZERO_PACKET);
  if (length == 0 || (length % packet == 0 && (of(u)->flags & USBDEVFS_URB_ZERO_PACKET))) d->facts.zero_length_out++;
  if (ends) d->outgoing_held = 0;
  else d->outgoing_held = d->outgoing_count;
  finish(u, 0, length);
}

static void deliver(mock_device *d) {
  while (d->firmware >= 0 && d->outgoing_count > 0 && d->outgoing_held == 0) {
    ssize_t n = send(d->firmware, d->outgoing, d->outgoing_count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n <= 0) return;
    d->outgoing_count -= (size_t)n;
    memmove(d->outgoing, d->outgoing + n, d->outgoing_count);
  }
}

static int reap(mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *pointer) {
  for (mock_urb **at = &d->urbs; *at; at = &(*at)->next) {
    mock_urb *u = *at;
    if (!u->done || u->client != client) continue;
    umockdev_ioctl_data_set_ptr(pointer, 0, u->urb);
    *at = u->next;
    drop(u);
    umockdev_ioctl_client_complete(client, 0, 0);
    return 1;
  }
  if (!d->gone) return 0;
  umockdev_ioctl_client_complete(client, -1, ENODEV);
  return 1;
}

int mock_reap_soon(mock_device *d, UMockdevIoctlClient *client, UMockdevIoctlData *pointer) {
  if (reap(d, client, pointer)) return 1;
  mock_reap *r = calloc(1, sizeof *r);
  if (!r) return 0;
  *r = (mock_reap){d->reaps, g_object_ref(client), umockdev_ioctl_data_ref(pointer), mock_now_ms() + REAP_PATIENCE_MS};
  d->reaps = r;
  mock_wake(d->bus);
  return 1;
}

void mock_pump(mock_device *d) {
  mock_forget(d, 0);
  uint32_t flying = 0;
  for (mock_urb *u = d->urbs; u; u = u->next) {
    if (u->done || of(u)->type == USBDEVFS_URB_TYPE_CONTROL) continue;
    int isIn = of(u)->endpoint & 0x80;
    if (isIn) flying++;
    if (d->gone || d->naks) continue;
    if (isIn ? d->halted_in : d->halted_out) {
      d->facts.stalled++;
      finish(u, -EPIPE, u->filled);
    } else if (isIn) {
      pump_in(d, u);
    } else {
      pump_out(d, u);
    }
  }
  if (flying > d->facts.most_in_flight) d->facts.most_in_flight = flying;
  deliver(d);
  int64_t now = mock_now_ms();
  for (mock_reap **at = &d->reaps; *at;) {
    mock_reap *r = *at;
    int answered = reap(d, r->client, r->pointer);
    if (!answered && r->deadline <= now) {
      umockdev_ioctl_client_complete(r->client, -1, EAGAIN);
      answered = 1;
    }
    if (!answered) {
      at = &r->next;
      continue;
    }
    *at = r->next;
    umockdev_ioctl_data_unref(r->pointer);
    g_object_unref(r->client);
    free(r);
  }
  for (mock_late **at = &d->late; *at;) {
    mock_late *l = *at;
    if (l->deadline > now && !d->gone) {
      at = &l->next;
      continue;
    }
    umockdev_ioctl_client_complete(l->client, d->gone ? -1 : 0, d->gone ? ENODEV : 0);
    *at = l->next;
    g_object_unref(l->client);
    free(l);
  }
}

int64_t mock_next_deadline(mock_device *d) {
  int64_t next = -1;
  for (mock_reap *r = d->reaps; r; r = r->next)
    if (next < 0 || r->deadline < next) next = r->deadline;
  for (mock_late *l = d->late; l; l = l->next)
    if (next < 0 || l->deadline < next) next = l->deadline;
  return next;
}

void mock_detach(mock_device *d) {
  d->gone = 1;
  for (mock_urb *u = d->urbs; u; u = u->next)
    if (!u->done) finish(u, -ESHUTDOWN, u->filled);
  if (d->firmware >= 0) close(d->firmware);
  d->firmware = -1;
  mock_pump(d);
}
#endif
