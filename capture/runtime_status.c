/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime_status.h"

#include <stdarg.h>
#include <stdio.h>

#define LOG "NEURON_RT_LOG_LEVEL=INFO shows what the runtime did"
#define INPUTS "give real inputs (NAME FILE.npy), or go on with --ignore-exec-errors"
#define DRIVER "look at 'dmesg' and restart the Neuron driver"

static const struct meaning {
	NRT_STATUS status;
	const char *name;
	enum nx_status ours;
	const char *text; /* what it means; what to do */
} meanings[] = {
#define ROW(status, ours, text)                                                                    \
	{                                                                                          \
		status, #status, ours, text                                                        \
	}
	ROW(NRT_FAILURE, NX_IO, "the runtime gives no reason; " LOG),
	ROW(NRT_INVALID, NX_IO, "the runtime refused an argument or the moment; " LOG),
	ROW(NRT_INVALID_HANDLE, NX_IO, "the runtime does not know the handle; " LOG),
	ROW(NRT_RESOURCE, NX_LIMIT,
	    "memory or another resource ran out; end other programs on the device, or try "
	    "--single-io or --disable-profile"),
	ROW(NRT_TIMEOUT, NX_IO,
	    "the device did not end in time; look for a deadlock in the program, or raise "
	    "NEURON_RT_EXEC_TIMEOUT"),
	ROW(NRT_HW_ERROR, NX_IO, "the hardware reports an error; " DRIVER),
	ROW(NRT_QUEUE_FULL, NX_LIMIT,
	    "too many executions are waiting; lower --num-exec or use --exec-mode sync"),
	ROW(NRT_LOAD_NOT_ENOUGH_NC, NX_LIMIT,
	    "there are not enough NeuronCores; ask for fewer workers (-r), or free the cores that "
	    "other programs hold"),
	ROW(NRT_UNSUPPORTED_NEFF_VERSION, NX_VERSION,
	    "the runtime does not read this version of NEFF; use a newer runtime, or compile "
	    "again"),
	ROW(NRT_FAIL_HOST_MEM_ALLOC, NX_LIMIT, "the host has no memory left; end other programs"),
	ROW(NRT_UNINITIALIZED, NX_IO,
	    "the runtime could not begin; is there a Neuron device that no other program holds?"),
	ROW(NRT_CLOSED, NX_IO, "the runtime was closed already; run the command again"),
	ROW(NRT_QUEUE_EMPTY, NX_IO, "nothing was queued; run the command again"),
	ROW(NRT_EXEC_UNIT_UNRECOVERABLE, NX_IO, "the device has to be reset; " DRIVER),
	ROW(NRT_EXEC_BAD_INPUT, NX_MISMATCH,
	    "an input is missing or has the wrong size; try --io-from runtime"),
	ROW(NRT_EXEC_COMPLETED_WITH_NUM_ERR, NX_IO, "the model computed NaN or infinity; " INPUTS),
	ROW(NRT_EXEC_COMPLETED_WITH_ERR, NX_IO, "the execution ended with errors; " INPUTS),
	ROW(NRT_EXEC_NC_BUSY, NX_IO,
	    "the NeuronCore is busy with another program; end that one first"),
	ROW(NRT_EXEC_OOB, NX_IO, "the model reached outside of a tensor or memory; " INPUTS),
	ROW(NRT_COLL_PENDING, NX_IO, "a collective operation has not ended; try again"),
	ROW(NRT_EXEC_HW_ERR_COLLECTIVES, NX_IO,
	    "a collective operation failed; check that all workers run, on all nodes"),
	ROW(NRT_EXEC_HW_ERR_HBM_UE, NX_IO,
	    "device memory has an uncorrectable error; restart the instance"),
	ROW(NRT_EXEC_HW_ERR_NC_UE, NX_IO,
	    "the NeuronCore has an uncorrectable error; restart the instance"),
	ROW(NRT_EXEC_HW_ERR_DMA_ABORT, NX_IO, "a DMA engine gave up; " DRIVER),
	ROW(NRT_EXEC_SW_NQ_OVERFLOW, NX_IO,
	    "a queue of notifications overflowed; leave --enable-dge-notifs out"),
	ROW(NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE, NX_IO,
	    "device memory has an error that a restart of the instance repairs"),
	ROW(NRT_NETWORK_PROXY_FAILURE, NX_IO,
	    "the workers cannot reach each other; check the network and NEURON_RT_ROOT_COMM_ID"),
#undef ROW
};

static const struct meaning *meaning_of(NRT_STATUS status)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].status == status)
			return &meanings[i];
	return NULL;
}

const char *nx_runtime_status_name(const struct nx_runtime_library *lib, NRT_STATUS status)
{
	const struct meaning *meaning = meaning_of(status);
	const char *name = NULL;

	if (meaning)
		return meaning->name;
	if (lib && lib->nrt_get_status_as_str)
		name = lib->nrt_get_status_as_str(status);
	return name ? name : "an unknown status";
}

enum nx_status nx_runtime_fail(const struct nx_runtime_library *lib, NRT_STATUS status,
			       struct nx_error *err, const char *fmt, ...)
{
	const struct meaning *meaning = meaning_of(status);
	char what[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (meaning)
		return nx_fail(err, meaning->ours, "%s failed with %s: %s", what, meaning->name,
			       meaning->text);
	return nx_fail(err, NX_IO, "%s failed with %s (%d); " LOG, what,
		       nx_runtime_status_name(lib, status), (int)status);
}
