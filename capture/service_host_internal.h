/* SPDX-License-Identifier: Apache-2.0 */
/* service_host_internal: one host of a capture, shared by the files behind service_capture.h. */
#ifndef NX_CAPTURE_SERVICE_HOST_INTERNAL_H
#define NX_CAPTURE_SERVICE_HOST_INTERNAL_H

#include "base/backoff.h"
#include "capture/service_answer.h"
#include "capture/service_capture.h"
#include "capture/service_clock.h"
#include "capture/service_folder.h"
#include "rpc/rpc_client.h"

#define NX_SERVICE_NS_PER_MS UINT64_C(1000000)

struct nx_service_run;

struct nx_service_host {
	struct nx_service_run *all;
	size_t index;
	const char *address, *stem;
	struct nx_session_host *out;
	enum nx_service_stage stage;
	uint64_t call;	 /* that runs; 0: none */
	uint64_t due_ns; /* monotonic: when to try again; 0: not waiting */
	struct nx_backoff backoff;
	unsigned attempt_count, probe_count;
	const char *lost; /* why the first recording broke off */
	struct nx_service_clock clock;
	struct nx_clock_sample sample;
	struct nx_service_answer answer;
	uint64_t told_bytes;
};

struct nx_service_run {
	const struct nx_service_wishes *wishes;
	struct nx_service_result *result;
	struct nx_rpc_client *client;
	struct nx_service_folder folder;
	struct nx_service_host *hosts;
	size_t host_count;
	uint64_t start_ns, end_ns; /* epoch, of the recording, on our clock */
	bool is_started;	   /* all hosts were reached, or failed */
	bool is_terminated;
};

/* Now, since 1970. */
uint64_t nx_service_now_ns(void);

/* Asks for its clock; its stage becomes WAIT or FAILED. */
void nx_service_host_reach(struct nx_service_host *host);
/* Asks it to record, or for a snapshot. */
void nx_service_host_record(struct nx_service_host *host);
/* Ends its recording, which it then sends. */
void nx_service_host_terminate(struct nx_service_host *host);
/* Asks once more if that is due, and reports its stage. */
void nx_service_host_watch(struct nx_service_host *host);

bool nx_service_host_has_ended(const struct nx_service_host *host);
void nx_service_host_enter(struct nx_service_host *host, enum nx_service_stage stage);
void nx_service_host_fail(struct nx_service_host *host, const char *sentence);

#endif
