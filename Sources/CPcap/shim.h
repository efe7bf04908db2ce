#include <pcap/pcap.h>
#include <linux/if_packet.h>
