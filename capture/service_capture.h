/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_capture: captures running programs from outside, through their profiler services (ours,
 * or those of JAX and XProf), many hosts as one session.
 *
 *	<logdir>/plugins/profile/<session>/<host>_<port>.xplane.pb
 *	                                   <host>_<port>/...   of programs under our runtime
 *	                                   session.json
 *
 * First it measures the hosts' clocks, then all hosts start at a common moment. No session is
 * overwritten: a number is added to a name that exists. If no host could be captured, nothing is
 * left behind.
 *
 * It blocks until all hosts have answered; stop ends it earlier. For programs with one thread: it
 * calls the listener from inside.
 */
#ifndef NX_CAPTURE_SERVICE_CAPTURE_H
#define NX_CAPTURE_SERVICE_CAPTURE_H

#include <signal.h>

#include "capture/service_request.h"
#include "format/session_file.h"

/* X(name, its text) */
#define NX_SERVICE_STAGE_MAP(X)                                                                    \
	X(REACH, "being reached")                                                                  \
	X(WAIT, "waiting for the common start")                                                    \
	X(RECORD, "recording")                                                                     \
	X(COLLECT, "collecting")                                                                   \
	X(SEND, "sending")                                                                         \
	X(DONE, "done")                                                                            \
	X(FAILED, "failed")

enum nx_service_stage {
#define NX_SERVICE_STAGE_ENUM(name, text) NX_SERVICE_STAGE_##name,
	NX_SERVICE_STAGE_MAP(NX_SERVICE_STAGE_ENUM)
#undef NX_SERVICE_STAGE_ENUM
		NX_SERVICE_STAGE_COUNT
};

const char *nx_service_stage_text(enum nx_service_stage stage);

struct nx_service_progress {
	size_t host; /* index into the addresses */
	enum nx_service_stage stage;
	uint64_t received_bytes;
};

struct nx_service_listener {
	/* a host enters a stage, or more bytes have arrived */
	void (*progress)(void *context, const struct nx_service_progress *progress);
	void (*warn)(void *context, const char *sentence);
	void *context;
};

struct nx_service_wishes {
	const char *const *addresses; /* "host:port" */
	size_t address_count;
	const char *token;	   /* NULL: none */
	const char *logdir;	   /* made if needed */
	const char *name;	   /* of the session; NULL: the local time */
	const char *reason;	   /* for session.json; NULL: none */
	enum nx_session_kind kind; /* ON_DEMAND records from now on; SNAPSHOT asks for the past */
	struct nx_service_recording recording; /* of ON_DEMAND */
	uint32_t delay_ms;		       /* before the start */
	uint32_t attempts;		       /* per host; 0: three */
	const volatile sig_atomic_t *stop;     /* 1: end the recording and save it; 2: give up */
	const struct nx_service_listener *listener; /* NULL: none */
};

/* Each takes a socket and a file. */
#define NX_SERVICE_MAX_HOSTS 512

struct nx_service_result {
	struct nx_arena arena;
	const char *folder; /* of the session; NULL: nothing was kept */
	struct nx_session_file session;
	size_t captured_count, failed_count; /* hosts */
	uint64_t size_bytes;		     /* of all answers */
};

/*
 * OK if at least one host was captured: the result says which ones failed, and why. If none was,
 * the status and the sentence of the first. Release the result in either case.
 */
NX_MUST_CHECK enum nx_status nx_service_capture(const struct nx_service_wishes *wishes,
						struct nx_service_result *result,
						struct nx_error *err);
void nx_service_result_release(struct nx_service_result *result);

/* Splits "host:port,host:port" and checks each address; the list lies in the arena. */
NX_MUST_CHECK enum nx_status nx_service_addresses_parse(const char *text, struct nx_arena *arena,
							const char *const **addresses,
							size_t *count, struct nx_error *err);

#endif
