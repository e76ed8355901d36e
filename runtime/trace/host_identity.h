/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_identity: the machine's name and the id of the instance, which names the folders of
 * captures.
 *
 * The id is NEURON_INSTANCE_ID, else that of the EC2 instance, else one derived from the machine's
 * id or its name, which stays the same after a restart and differs between machines.
 */
#ifndef NX_RUNTIME_TRACE_HOST_IDENTITY_H
#define NX_RUNTIME_TRACE_HOST_IDENTITY_H

#include <stdbool.h>

struct nx_host_identity {
	char instance_id[64];
	char hostname[64];
	bool is_variable_unusable; /* NEURON_INSTANCE_ID cannot be part of a folder name */
};

void nx_host_identity_read(struct nx_host_identity *identity);

#endif
