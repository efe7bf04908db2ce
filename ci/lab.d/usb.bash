# A USB controller with a device at it: what the scenarios on USB share.
#
#   dummy_hcd: a host controller and a device controller, joined in the kernel
#   streamrig, libusb, usbfs ------------------------------------ FunctionFS, usb-gadget: the C agent
#
# No udevd runs in the guest: the nodes under /dev/bus/usb are the kernel's own (devtmpfs), and nobody tells libusb what
# comes and goes. It is so in containers as well, and in other network namespaces than udevd's.
. /run/lab/repo/ci/lab.d/guest.bash
config=/sys/kernel/config/usb_gadget

usb_up() { # [CONTROLLERS]
  ip link set lo up
  modprobe dummy_hcd num="${1:-1}"
  modprobe libcomposite
  modprobe usb_f_fs
  mount -t configfs none /sys/kernel/config 2>/dev/null || true
}

# gadget_up NAME CONTROLLER [OPTION…]: a device, with options of usb-gadget; plugged in.
gadget_up() {
  local name=$1 controller=$2 serial=SN0042
  shift 2
  mkdir -p "$config/$name/strings/0x409" "$config/$name/configs/c.1" "$config/$name/functions/ffs.$name" "/run/ffs/$name"
  echo 0x1d6b >"$config/$name/idVendor"
  echo 0x0104 >"$config/$name/idProduct"
  echo "$serial" >"$config/$name/strings/0x409/serialnumber"
  echo Streamrig >"$config/$name/strings/0x409/manufacturer"
  echo 'Lab camera' >"$config/$name/strings/0x409/product"
  [ -e "$config/$name/configs/c.1/ffs.$name" ] || ln -s "$config/$name/functions/ffs.$name" "$config/$name/configs/c.1/"
  mount -t functionfs "$name" "/run/ffs/$name"
  /run/lab/repo/.build/lab/usb-gadget --serial "$serial" "$@" "/run/ffs/$name" "$config/$name/UDC" >"/tmp/$name.log" 2>&1 9>&- &
  echo $! >"/run/$name.pid"
  until_true grep -q '^ready' "/tmp/$name.log"
  echo "$controller" >"/run/$name.controller"
  plug "$name"
}
gadget_down() {
  unplug "$1" 2>/dev/null || true
  kill "$(cat "/run/$1.pid")" 2>/dev/null
  wait "$(cat "/run/$1.pid")" 2>/dev/null
  umount "/run/ffs/$1"
}
gadget_signal() { kill "-$2" "$(cat "/run/$1.pid")"; }
plug() {
  cat "/run/$1.controller" >"$config/$1/UDC"
  until_true grep -qx configured "/sys/class/udc/$(cat "/run/$1.controller")/state"
}
unplug() { echo >"$config/$1/UDC"; }

# run_usb FOLDER HOST [OPTION…]: a run over the USB; the media of HOST comes over loopback.
run_usb() {
  local reports=$1 host=$2
  shift 2
  "$streamrig" run --device usb:1-1 --device-host "$host" --reports "/tmp/reports/$reports" "$@"
  local status=$?
  cp -r "/tmp/reports/$reports" "$out/"
  return $status
}

# emulated_up: an emulated device on this machine, for a gadget that passes on to its control port.
emulated_up() {
  mkfifo /tmp/leash
  "$streamrig" emulate --json --until-eof --host 127.66.1.1 --serial SN0042 --seed 1 </tmp/leash >/tmp/announced &
  emulated=$!
  exec 9>/tmp/leash
  until_true test -s /tmp/announced
}
emulated_down() {
  exec 9>&-
  wait "$emulated"
}

lists() {
  "$streamrig" devices | tee /tmp/devices
  grep -qx 'usb:1-1  1d6b:0104  Streamrig Lab camera  SN0042  480 Mbit/s  usable' /tmp/devices
}

# agent_session FOLDER: a session of the C agent, as far as it goes: it has no hotspot that could be proven.
agent_session() {
  plan agent connect-hotspot
  run_usb "$1" 127.0.0.1 /tmp/plans/agent.yaml && says "$1" '"name":"deviceHotspotConnectCompletion"'
}
