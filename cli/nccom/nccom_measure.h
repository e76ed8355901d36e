/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_measure: measures one size of one operation, and sets the environment variables that
 * the runtime needs for it.
 *
 * Without a device, ranks use memory of this machine. A case that needs more than is available
 * is refused before it runs; else the kernel would kill the program.
 */
#ifndef NX_CLI_NCCOM_NCCOM_MEASURE_H
#define NX_CLI_NCCOM_NCCOM_MEASURE_H

#include "cli/nccom/nccom_options.h"

/* MISMATCH if the size cannot be split as the operation needs it. Borrows the request. */
NX_MUST_CHECK enum nx_status nx_nccom_case_make(const struct nx_nccom_request *r,
						const struct nx_nccom_op *op, uint64_t size_bytes,
						struct nx_nccom_case *c, struct nx_error *err);
/* Runs all ranks; LIMIT if they do not fit into memory. Release the result also after a failure. */
NX_MUST_CHECK enum nx_status nx_nccom_measure(struct nx_nccom_runtime *runtime,
					      const struct nx_nccom_request *r,
					      const struct nx_nccom_case *c,
					      struct nx_nccom_result *result, struct nx_error *err);

/* An upper bound for the ranks that run here; UINT64_MAX if it overflows. */
uint64_t nx_nccom_memory_needed_bytes(const struct nx_nccom_case *c,
				      const struct nx_nccom_options *options);
/* Memory that the system can give without killing a process; 0: unknown. */
uint64_t nx_memory_available_bytes(void);
/* The same from the text of /proc/meminfo. */
uint64_t nx_memory_available_in(const char *text);
/* LIMIT if the case needs more than available_bytes; 0 bytes: no limit. */
NX_MUST_CHECK enum nx_status nx_nccom_memory_check(const struct nx_nccom_case *c,
						   const struct nx_nccom_options *options,
						   uint64_t available_bytes, struct nx_error *err);

/* Call it before opening the runtime; rank_count ranks run on this machine. */
void nx_nccom_set_environment(const struct nx_nccom_request *r, uint32_t rank_count, bool is_debug);
/* Starts the runtime unless each rank starts its own. LIMIT if it has too few cores, IO. */
NX_MUST_CHECK enum nx_status nx_nccom_start(const struct nx_nccom_request *r,
					    struct nx_nccom_runtime *runtime, struct nx_error *err);

/*
 * Free TCP ports where ranks meet. A port is chosen before the process that listens on it starts,
 * so nothing holds it in between. To keep the kernel from giving it to an outgoing connection,
 * ports come from outside its ephemeral range; a random start keeps two runs from choosing the
 * same.
 */
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
