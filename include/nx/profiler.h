/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler.h: a program profiles itself.
 *
 *	nx_profiler_options options = NX_PROFILER_OPTIONS;
 *	nx_name load = nx_profiler_name("load batch");
 *	nx_span span;
 *
 *	options.output_dir = "profile";
 *	if (nx_profiler_start(&options))
 *		fprintf(stderr, "%s\n", nx_profiler_error());
 *	span = nx_profiler_begin(load);
 *	...
 *	nx_profiler_end(span);
 *	nx_profiler_stop();
 *
 * `neuron-explorer view -d profile` shows the result. If libnrt.so.1 is loaded, its calls and the
 * work of the cores are in the same profile.
 *
 * Link with -lnxprofiler (pkg-config nxprofiler). All functions may be called from any thread, but
 * not from signal handlers. While no session runs, recording functions cost one load and one test.
 * While one runs they take no lock and never wait; what does not fit into the buffer is counted.
 * The child of a fork has no session. exit() without nx_profiler_stop() stops the session.
 */
#ifndef NX_PROFILER_H
#define NX_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NX_PROFILER_VERSION 1

/* --- results -------------------------------------------------------------------------------- */

/* What functions that can fail return; nx_profiler_error() has the sentence. */
enum nx_profiler_status {
	NX_PROFILER_OK = 0,
	NX_PROFILER_BUSY = -1,	  /* a session is running already */
	NX_PROFILER_IDLE = -2,	  /* no session is running */
	NX_PROFILER_INVALID = -3, /* an argument is not valid */
	NX_PROFILER_LIMIT = -4,	  /* out of memory or threads */
	NX_PROFILER_IO = -5,	  /* a folder or file cannot be written */
	NX_PROFILER_RUNTIME = -6, /* libnrt.so.1 refused its part of the session */
};

/* The sentence of this thread's last failure; "" if there was none. Valid until the next one. */
const char *nx_profiler_error(void);

/* --- sessions ------------------------------------------------------------------------------- */

typedef struct nx_profiler_options {
	size_t struct_size;	      /* sizeof(nx_profiler_options): later versions add members */
	const char *output_dir;	      /* NULL: "output" in the current folder */
	uint64_t buffer_bytes;	      /* memory for events of all threads together; 0: 32 MiB */
	bool with_runtime;	      /* trace the calls of libnrt.so.1 too, if it is loaded */
	bool with_device;	      /* let libnrt.so.1 profile executions on the device, too */
	uint64_t max_events_per_core; /* of libnrt.so.1; 0: its default */
	const char *cores; /* whose runtime events are recorded, as in "0,2-5"; NULL: all */
} nx_profiler_options;

#ifdef __cplusplus
#define NX_PROFILER_OPTIONS nx_profiler_options_default()
#else
#define NX_PROFILER_OPTIONS                                                                        \
	{                                                                                          \
		.struct_size = sizeof(nx_profiler_options), .with_runtime = true                   \
	}
#endif

static inline nx_profiler_options nx_profiler_options_default(void)
{
	nx_profiler_options options = {sizeof(nx_profiler_options), NULL, 0, true, false, 0, NULL};

	return options;
}

/*
 * Starts a session with the given options; NULL stands for NX_PROFILER_OPTIONS. Files are written
 * to <output_dir>/<instance>_pid_<pid>/<start>/. NX_PROFILER_BUSY if one is running. With
 * NX_PROFILER_RUNTIME the session has started, but without the runtime's part.
 */
int nx_profiler_start(const nx_profiler_options *given);
/* Stops it and completes its files. Spans that are still open are marked as unfinished. */
int nx_profiler_stop(void);
/*
 * Starts the runtime's part of a running session, for a libnrt.so.1 that was loaded after the
 * start. The session looks for it itself, about 20 times a second; this does so now. OK if there is
 * none.
 */
int nx_profiler_join_runtime(void);
/* Returns after everything recorded before the call is in the files. */
int nx_profiler_flush(void);

/* The folder of this process's session, or of its last one; "" before the first. */
const char *nx_profiler_directory(void);
/* Numbers the sessions of this process from 1 on; 0 before the first. */
uint64_t nx_profiler_session(void);

/* For nx_profiler_is_on. */
extern uint32_t nx_profiler_switch;

static inline bool nx_profiler_is_on(void)
{
	return __builtin_expect(__atomic_load_n(&nx_profiler_switch, __ATOMIC_ACQUIRE) != 0, 0);
}

/*
 * Events of this session: recorded, and of these lost because the buffer or the disk was full. At
 * the end of a session the numbers are exact. Either pointer may be NULL.
 */
void nx_profiler_counts(uint64_t *recorded, uint64_t *lost);

/* --- continuous recording ------------------------------------------------------------------- */

/*
 * Records always, and keeps the latest events in memory: those of the last horizon_ms, as far as
 * the budget lasts. A snapshot saves them as a session's folder. Recording goes on meanwhile, and
 * a session may run at the same time. The child of a fork does not record.
 */
typedef struct nx_profiler_continuous_options {
	size_t struct_size;	/* sizeof(nx_profiler_continuous_options) */
	const char *output_dir; /* of snapshots; NULL: "output" in the current folder */
	uint64_t budget_bytes;	/* for all that is recorded; 0: 64 MiB, at least 4 MiB */
	uint64_t horizon_ms;	/* 0: 60000 */
	bool with_runtime;	/* keep the calls of our libnrt.so.1, if it is loaded */
	bool with_device;	/* keep an execution per model and second with its device profile */
	const char *cores;	/* whose runtime events are kept, as in "0,2-5"; NULL: all */
	/* Triggers, which save a snapshot when something happens: */
	int signal_number;	 /* this signal arrives; 0: none */
	double slow_step_factor; /* a step takes longer than its 99th percentile times this; 0: off
				  */
	bool on_error;		 /* a call of the runtime returns an error */
	uint64_t device_memory_bytes;	/* a core uses more device memory than this; 0: off */
	uint64_t collective_timeout_ms; /* ranks wait for each other longer than this; 0: off */
	uint64_t min_interval_ms;	/* between two of these snapshots; 0: 60000 */
	uint64_t max_snapshots;		/* that triggers save in all; 0: 100 */
} nx_profiler_continuous_options;

static inline nx_profiler_continuous_options nx_profiler_continuous_options_default(void)
{
	nx_profiler_continuous_options options = {sizeof(nx_profiler_continuous_options),
						  NULL,
						  0,
						  0,
						  true,
						  true,
						  NULL,
						  0,
						  0,
						  false,
						  0,
						  0,
						  0,
						  0};

	return options;
}

/* NULL stands for the defaults. NX_PROFILER_BUSY if it is on. */
int nx_profiler_continuous_start(const nx_profiler_continuous_options *given);
/* Stops recording and drops what was kept. NX_PROFILER_IDLE if it is not on. */
int nx_profiler_continuous_stop(void);
bool nx_profiler_continuous_is_on(void);

typedef struct nx_profiler_snapshot_options {
	size_t struct_size;	/* sizeof(nx_profiler_snapshot_options) */
	const char *output_dir; /* NULL: that of the recording */
	const char *reason;	/* a sentence that is stored with it; NULL: none */
} nx_profiler_snapshot_options;

/*
 * Saves what is kept to <output_dir>/<instance>_pid_<pid>/<time>/, which is complete or absent, and
 * copies the name of this folder, if folder is not NULL. NX_PROFILER_IDLE if nothing is recorded.
 * snapshot.json in it says what saved it, and which of the process's records it has.
 */
int nx_profiler_snapshot(const nx_profiler_snapshot_options *given, char *folder,
			 size_t folder_bytes);

typedef struct nx_profiler_continuous_counts {
	size_t struct_size;   /* sizeof(nx_profiler_continuous_counts) */
	uint64_t recorded;    /* records since the start, all of them numbered */
	uint64_t kept;	      /* of these still in memory */
	uint64_t overwritten; /* dropped since the budget was used up */
	uint64_t expired;     /* dropped since they were older than the horizon */
	uint64_t lost;	      /* overwritten before they were numbered: a burst was too long */
	uint64_t snapshots;   /* saved */
	uint64_t suppressed;  /* triggers that came too soon after another */
	uint64_t kept_ns;     /* age of the oldest record that is kept */
} nx_profiler_continuous_counts;

/* Fills as many members as struct_size says; all 0 if nothing is recorded. */
void nx_profiler_continuous_count(nx_profiler_continuous_counts *counts);

/* --- names ---------------------------------------------------------------------------------- */

typedef enum nx_profiler_kind {
	NX_PROFILER_ANNOTATION = 0, /* what the program says about itself */
	NX_PROFILER_PYTHON = 1,	    /* a Python function */
	NX_PROFILER_OPERATOR = 2,   /* an operator of a framework */
	NX_PROFILER_STEP = 3,	    /* a step of training or inference */
	NX_PROFILER_RUNTIME_CALL = 4,
	NX_PROFILER_FRAMEWORK = 5, /* any other work of a framework */
} nx_profiler_kind;

/*
 * Stands for a text, a kind and a place in the source, for the life of the process. Equal ones
 * have the same name. Names may be made at any time, also before a session. 0 is the name "":
 * a text of NULL, and all further ones once there are 2^20.
 */
typedef uint32_t nx_name;

nx_name nx_profiler_name(const char *text); /* an annotation */
nx_name nx_profiler_source(const char *function, const char *file, uint32_t line);

typedef struct nx_profiler_definition {
	size_t struct_size; /* sizeof(nx_profiler_definition) */
	nx_profiler_kind kind;
	const char *text; /* any UTF-8 */
	size_t text_len;  /* SIZE_MAX: it ends with NUL */
	const char *file; /* NULL: unknown */
	uint32_t line;	  /* 0: unknown */
} nx_profiler_definition;

nx_name nx_profiler_define(const nx_profiler_definition *definition);

/* --- attributes ----------------------------------------------------------------------------- */

typedef enum nx_attribute_type {
	NX_ATTRIBUTE_I64 = 1,
	NX_ATTRIBUTE_U64 = 2,
	NX_ATTRIBUTE_F64 = 3,
	NX_ATTRIBUTE_BOOL = 4,
	NX_ATTRIBUTE_TEXT = 5, /* copied by the call; cut to NX_PROFILER_MAX_TEXT bytes */
	NX_ATTRIBUTE_NAME = 6, /* the text of an nx_name */
} nx_attribute_type;

#define NX_PROFILER_MAX_TEXT 1023
#define NX_PROFILER_MAX_ATTRIBUTES 16 /* of a call; further ones are ignored */

typedef struct nx_attribute {
	nx_name key;
	uint32_t type;	 /* nx_attribute_type */
	size_t text_len; /* of a TEXT */
	union {
		int64_t i64;
		uint64_t u64;
		double f64;
		bool boolean;
		const char *text;
		nx_name name;
	} value;
} nx_attribute;

static inline nx_attribute nx_attribute_i64(nx_name key, int64_t value)
{
	nx_attribute attribute = {key, NX_ATTRIBUTE_I64, 0, {0}};

	attribute.value.i64 = value;
	return attribute;
}

static inline nx_attribute nx_attribute_u64(nx_name key, uint64_t value)
{
	nx_attribute attribute = {key, NX_ATTRIBUTE_U64, 0, {0}};

	attribute.value.u64 = value;
	return attribute;
}

static inline nx_attribute nx_attribute_f64(nx_name key, double value)
{
	nx_attribute attribute = {key, NX_ATTRIBUTE_F64, 0, {0}};

	attribute.value.f64 = value;
	return attribute;
}

static inline nx_attribute nx_attribute_bool(nx_name key, bool value)
{
	nx_attribute attribute = {key, NX_ATTRIBUTE_BOOL, 0, {0}};

	attribute.value.boolean = value;
	return attribute;
}

static inline nx_attribute nx_attribute_text(nx_name key, const char *text, size_t len)
{
	nx_attribute attribute = {key, NX_ATTRIBUTE_TEXT, 0, {0}};

	attribute.text_len = len;
	attribute.value.text = text;
	return attribute;
}

static inline nx_attribute nx_attribute_name(nx_name key, nx_name value)
{
	nx_attribute attribute = {key, NX_ATTRIBUTE_NAME, 0, {0}};

	attribute.value.name = value;
	return attribute;
}

/* --- spans ---------------------------------------------------------------------------------- */

/* A span that began; 0 is none. Spans of a thread nest; a span may end on another thread. */
typedef uint64_t nx_span;

/* Behind the functions below; call those. */
nx_span nx_profiler_put_begin(nx_name name, const nx_attribute *attributes, size_t count);
nx_span nx_profiler_put_text(nx_profiler_kind kind, const char *text, size_t len,
			     const nx_attribute *attributes, size_t count);
void nx_profiler_put_end(nx_span span, const nx_attribute *attributes, size_t count);
void nx_profiler_put_complete(nx_name name, uint64_t start_ticks, uint64_t end_ticks,
			      const nx_attribute *attributes, size_t count);
void nx_profiler_put_complete_on(uint32_t thread_id, nx_name name, uint64_t start_ticks,
				 uint64_t end_ticks, const nx_attribute *attributes, size_t count);
void nx_profiler_put_instant(nx_name name, const nx_attribute *attributes, size_t count);
void nx_profiler_put_counter(nx_name name, double value);
nx_span nx_profiler_put_step(nx_name name, int64_t step_num, const nx_attribute *attributes,
			     size_t count);
void nx_profiler_put_flow(uint64_t flow, bool is_out);

static inline nx_span nx_profiler_begin(nx_name name)
{
	return nx_profiler_is_on() ? nx_profiler_put_begin(name, NULL, 0) : 0;
}

static inline nx_span nx_profiler_begin_with(nx_name name, const nx_attribute *attributes,
					     size_t count)
{
	return nx_profiler_is_on() ? nx_profiler_put_begin(name, attributes, count) : 0;
}

/* A name made at run time, which is copied; cut to NX_PROFILER_MAX_TEXT bytes. */
static inline nx_span nx_profiler_begin_text(const char *text, size_t len)
{
	return nx_profiler_is_on()
		       ? nx_profiler_put_text(NX_PROFILER_ANNOTATION, text, len, NULL, 0)
		       : 0;
}

static inline nx_span nx_profiler_begin_text_with(nx_profiler_kind kind, const char *text,
						  size_t len, const nx_attribute *attributes,
						  size_t count)
{
	return nx_profiler_is_on() ? nx_profiler_put_text(kind, text, len, attributes, count) : 0;
}

static inline void nx_profiler_end(nx_span span)
{
	if (span)
		nx_profiler_put_end(span, NULL, 0);
}

/* With attributes that are only known now. */
static inline void nx_profiler_end_with(nx_span span, const nx_attribute *attributes, size_t count)
{
	if (span)
		nx_profiler_put_end(span, attributes, count);
}

/* The clock of spans that the caller measures; nx_profiler_ticks_at converts epoch nanoseconds. */
uint64_t nx_profiler_ticks(void);
uint64_t nx_profiler_ticks_at(uint64_t epoch_ns);

/* A span on this thread whose times the caller measured. Cheaper than begin and end. */
static inline void nx_profiler_complete(nx_name name, uint64_t start_ticks, uint64_t end_ticks,
					const nx_attribute *attributes, size_t count)
{
	if (nx_profiler_is_on())
		nx_profiler_put_complete(name, start_ticks, end_ticks, attributes, count);
}

/* The same for another thread, which the operating system numbers so (gettid). */
static inline void nx_profiler_complete_on(uint32_t thread_id, nx_name name, uint64_t start_ticks,
					   uint64_t end_ticks, const nx_attribute *attributes,
					   size_t count)
{
	if (nx_profiler_is_on())
		nx_profiler_put_complete_on(thread_id, name, start_ticks, end_ticks, attributes,
					    count);
}

static inline void nx_profiler_instant(nx_name name, const nx_attribute *attributes, size_t count)
{
	if (nx_profiler_is_on())
		nx_profiler_put_instant(name, attributes, count);
}

/* The value from now on; each name is a track of the process. */
static inline void nx_profiler_counter(nx_name name, double value)
{
	if (nx_profiler_is_on())
		nx_profiler_put_counter(name, value);
}

/* A step is a span with a number; end it like a span. */
static inline nx_span nx_profiler_step_begin(nx_name name, int64_t step_num)
{
	return nx_profiler_is_on() ? nx_profiler_put_step(name, step_num, NULL, 0) : 0;
}

static inline nx_span nx_profiler_step_begin_with(nx_name name, int64_t step_num,
						  const nx_attribute *attributes, size_t count)
{
	return nx_profiler_is_on() ? nx_profiler_put_step(name, step_num, attributes, count) : 0;
}

static inline void nx_profiler_step_end(nx_span step)
{
	nx_profiler_end(step);
}

/* --- threads and flows ---------------------------------------------------------------------- */

/* Names this thread, also in sessions that start later. NULL: the name the system knows. */
void nx_profiler_thread_name(const char *text);

/*
 * A flow is an arrow from the span in which it leaves to the one in which it arrives: the
 * innermost open span of the calling thread. Its id is unique in the process; not 0.
 */
uint64_t nx_profiler_new_flow(void);

static inline void nx_profiler_flow_out(uint64_t flow)
{
	if (nx_profiler_is_on())
		nx_profiler_put_flow(flow, true);
}

static inline void nx_profiler_flow_in(uint64_t flow)
{
	if (nx_profiler_is_on())
		nx_profiler_put_flow(flow, false);
}

/* --- on demand ------------------------------------------------------------------------------ */

typedef enum nx_profiler_request {
	NX_PROFILER_REQUEST_START = 1,
	NX_PROFILER_REQUEST_STOP = 2,
} nx_profiler_request;

/*
 * Called when something outside the program, such as a profiler service, asks for a session to
 * start or stop. The callback runs on the thread of the asker; it decides, and returns 0 after it
 * started or stopped the session, or a status of its own to refuse. Without a callback requests are
 * carried out with the options of the asker. One callback per process; NULL removes it.
 */
typedef int (*nx_profiler_demand_fn)(void *context, nx_profiler_request request,
				     const nx_profiler_options *options);
void nx_profiler_on_demand(nx_profiler_demand_fn fn, void *context);
/* For the asker. Returns what the callback, or start or stop, returned. */
int nx_profiler_demand(nx_profiler_request request, const nx_profiler_options *options);

/* --- the server ----------------------------------------------------------------------------- */

/*
 * A gRPC server in this program, through which `neuron-explorer capture --service-addr`, XProf,
 * TensorBoard and JAX's tools record sessions and fetch snapshots (docs/profiling.md). It has
 * threads of its own and never blocks the program. Its code is in libnxservice.so.1, which is
 * loaded by the first start. The child of a fork has no server. With NEURON_PROFILER_PORT in the
 * environment a server starts when this library is loaded.
 */
typedef struct nx_profiler_server_options {
	size_t struct_size; /* sizeof(nx_profiler_server_options) */
	uint16_t port;	    /* 0: any that is free */
	const char *host;   /* an address in digits; NULL: NEURON_PROFILER_HOST, else 127.0.0.1 */
	/* That clients must send as "authorization: Bearer <token>"; NULL: the contents of the file
	 * NEURON_PROFILER_TOKEN_FILE, else none. Addresses that other machines reach need one. */
	const char *token;
	const char *output_dir; /* for sessions that stay here; NULL: "output" */
} nx_profiler_server_options;

static inline nx_profiler_server_options nx_profiler_server_options_default(void)
{
	nx_profiler_server_options options = {sizeof(nx_profiler_server_options), 0, NULL, NULL,
					      NULL};

	return options;
}

/* NULL: with the port of NEURON_PROFILER_PORT. NX_PROFILER_BUSY if a server is running. */
int nx_profiler_start_server(const nx_profiler_server_options *given);
/* Ends captures that clients asked for, and returns once the server has ended. */
int nx_profiler_stop_server(void);
uint16_t nx_profiler_server_port(void); /* 0: no server is running */

#ifdef __cplusplus
}
#endif

#endif
