/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_ports: free TCP ports where ranks meet.
 *
 * A port is chosen before the process that listens on it starts, so nothing holds it in between.
 * To keep the kernel from giving it to an outgoing connection, ports come from outside its
 * ephemeral range; a random start keeps two runs from choosing the same.
 */
#ifndef NX_CLI_NCCOM_NCCOM_PORTS_H
#define NX_CLI_NCCOM_NCCOM_PORTS_H

#include <stdint.h>

#include "base/error.h"

struct nx_nccom_port_range {
	uint32_t first, last;
};

/*
 * The ports to choose from, next to the kernel's ephemeral range ("32768\t60999\n", the text of
 * /proc/sys/net/ipv4/ip_local_port_range). An ephemeral range that leaves too few ports is ignored.
 */
struct nx_nccom_port_range nx_nccom_port_range(const char *ephemeral);
/* The first of count (1 to 16) consecutive ports that are free on this machine; 0: none found. */
uint16_t nx_nccom_ports_find(struct nx_nccom_port_range range, uint32_t count);
/*
 * Sets NEURON_RT_ROOT_COMM_ID to host and the first of count free ports, one for each stream.
 * LIMIT if there are none.
 */
NX_MUST_CHECK enum nx_status nx_nccom_root_choose(const char *host, uint32_t count,
						  struct nx_error *err);

#endif
