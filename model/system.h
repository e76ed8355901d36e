/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system: a system profile: what the processes of a run did on their hosts and NeuronCores, over
 * all instances. Tables that grow with the trace are streamed, process by process, each in order of
 * time.
 */
#ifndef NX_MODEL_SYSTEM_H
#define NX_MODEL_SYSTEM_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"
#include "model/profile.h"

#define NX_FRAMEWORK_EVENT_TYPE 99999u

enum nx_event_source {
	NX_SOURCE_RUNTIME,   /* neuron_rt: calls on the host */
	NX_SOURCE_HARDWARE,  /* neuron_hw: what the cores did */
	NX_SOURCE_FRAMEWORK, /* calls of the framework */
};
const char *nx_event_source_name(enum nx_event_source source); /* "neuron_rt" */

enum nx_system_flags {
	NX_EVENT_INSTANT = 1 << 0,
	NX_EVENT_UNFINISHED = 1 << 1, /* no STOP: ends with its session */
	NX_EVENT_ORPHAN = 1 << 2,     /* a STOP whose START was overwritten: no duration */
	NX_EVENT_QUEUED = 1 << 3,     /* of an asynchronous request */
	NX_EVENT_STEP = 1 << 4,	      /* a step of the program; step_num is its number */
};

/* Where the row source finds an event's attributes again; zeroed: it has none. */
struct nx_event_handle {
	uint64_t words[2];
};

struct nx_system_event {
	uint64_t start_ns; /* epoch */
	uint64_t end_ns;
	uint64_t id;	    /* as recorded; those of framework events follow the recorded ones */
	uint64_t parent_id; /* innermost enclosing event of the same thread, 0 = none */
	uint64_t thread_id;
	uint64_t flow_id;      /* connects framework, runtime and hardware events; 0 = none */
	uint64_t call_flow_id; /* of a part of an execution: flow of the call around it; 0 = none */
	struct nx_event_handle handle;
	uint64_t model_id;    /* of the execution it belongs to; 0 = none known */
	uint64_t nrta_seq_id; /* of the asynchronous request it belongs to; 0 = none */
	uint64_t step_num;    /* of an event with NX_EVENT_STEP; an int64_t, shown as one */
	uint32_t process;
	uint32_t type;	/* event type, or NX_FRAMEWORK_EVENT_TYPE */
	uint32_t name;	/* into the process's names */
	int32_t nc_idx; /* logical core in its process, -1 = none */
	uint32_t worker_gid;
	uint32_t stream_id; /* framework stream, UINT32_MAX = none */
	uint16_t depth;	    /* enclosing events of the same thread */
	uint8_t source;	    /* enum nx_event_source */
	uint8_t flags;	    /* enum nx_system_flags */
	uint32_t padding;
};

struct nx_cpu_sample {
	uint64_t time_ns;
	uint32_t process;
	uint32_t cpu_id;
	float util_percent;
};

struct nx_memory_sample {
	uint64_t time_ns;
	uint64_t usage_bytes;
	uint32_t process;
};

struct nx_counter_sample { /* a number that the program reported */
	uint64_t time_ns;
	double value; /* from then on */
	uint32_t process;
	uint32_t name; /* into the process's names */
};

struct nx_hbm_sample { /* device memory after an allocation or a release */
	uint64_t time_ns;
	uint64_t total_bytes;	 /* all categories of this core */
	uint64_t category_bytes; /* of this category */
	uint32_t process;
	int32_t nc_idx;
	uint32_t hbm_idx;
	uint32_t device_idx;
	uint32_t category; /* into the process's names */
};

enum nx_direction { NX_HOST_TO_DEVICE, NX_DEVICE_TO_HOST };

struct nx_host_transfer {
	uint64_t start_ns, end_ns;
	uint64_t size_bytes;
	uint32_t process;
	int32_t nc_idx;
	uint8_t direction;
};

/*
 * A step of the program, which its framework or the program itself marked, with what its process
 * did meanwhile. Every moment of a step counts once: a core ran (busy), no core ran but a call of
 * the runtime was open (runtime), or neither (host bound).
 */
struct nx_step {
	uint64_t start_ns, end_ns;
	uint64_t step_num;
	uint64_t event_id; /* of the event that marks it */
	uint64_t thread_id;
	const char *name; /* of its kind, without a number: "ProfilerStep"; lives as the profile */
	uint32_t process;
	bool is_unfinished; /* it never ended: left out of comparisons */
	bool has_shares;    /* its process ran something, so the shares mean something */
	bool has_late;
	bool is_outlier;      /* much longer than its like; see analyse/steps.h */
	uint32_t rank;	      /* by duration among its like, 1 = the slowest; 0 = unfinished */
	double duration_mads; /* distance to the median in scaled MADs; NaN: nothing to compare */
	uint64_t busy_ns, runtime_ns, host_ns;
	uint64_t execution_count;    /* that began in it, over all cores */
	uint64_t gap_ns, max_gap_ns; /* how long cores waited before these */
	uint64_t first_execution_ns; /* 0 = none */
	uint64_t first_launch_ns;    /* when the host first called for one; 0 = it did not */
	uint64_t rank_wait_ns;	     /* in barriers, for other ranks */
	uint64_t late_ns; /* first launch after that of the process that was first with this step */
};

struct nx_step_total { /* all steps of a kind in a process */
	const char *name;
	uint32_t process;
	uint64_t step_count, unfinished_count;
	uint64_t median_ns, mad_ns; /* of the durations of those that ended */
	uint64_t slowest_num, slowest_ns;
	uint64_t outlier_count;
	bool has_shares;
	uint64_t total_ns, busy_ns, runtime_ns, host_ns; /* of those that ended */
	uint64_t late_count;				 /* steps that other processes have too */
	uint64_t median_late_ns;
	uint64_t median_rank_wait_ns;
};

/* A core waits from the end of an execution to the start of the next one. */
struct nx_execution_gap {
	uint64_t start_ns, end_ns;
	uint64_t runtime_ns;   /* of it, inside calls of the runtime */
	uint64_t step_num;     /* of the step in which it ended, the innermost */
	const char *step_name; /* NULL: in none */
	uint32_t process;
	int32_t nc_idx;
	uint32_t worker_gid; /* UINT32_MAX: not known */
};

struct nx_gap_total { /* all gaps of a logical core */
	uint32_t process;
	int32_t nc_idx;
	uint32_t worker_gid;
	bool is_growing; /* see analyse/steps.h */
	uint64_t count, total_ns, max_ns, median_ns;
	uint64_t first_median_ns, last_median_ns; /* of the first and last quarter in time */
};

/* X(enum, row struct) */
#define NX_SYSTEM_TABLE_MAP(X)                                                                     \
	X(EVENT, struct nx_system_event)                                                           \
	X(CPU, struct nx_cpu_sample)                                                               \
	X(MEMORY, struct nx_memory_sample)                                                         \
	X(HBM, struct nx_hbm_sample)                                                               \
	X(TRANSFER, struct nx_host_transfer)                                                       \
	X(COUNTER, struct nx_counter_sample)                                                       \
	X(STEP, struct nx_step)                                                                    \
	X(STEP_TOTAL, struct nx_step_total)                                                        \
	X(GAP, struct nx_execution_gap)                                                            \
	X(GAP_TOTAL, struct nx_gap_total)

enum nx_system_table {
#define NX_SYSTEM_TABLE_ENUM(name, row) NX_SYSTEM_##name,
	NX_SYSTEM_TABLE_MAP(NX_SYSTEM_TABLE_ENUM)
#undef NX_SYSTEM_TABLE_ENUM
		NX_SYSTEM_TABLE_COUNT,
};

/* A session of a run: what was recorded from one start to one stop, on one or more hosts. */
struct nx_run_host {
	const char *name;
	const char *state;   /* "captured", "empty", "elsewhere" or "failed" */
	const char *failure; /* why nothing came from it; "" if something did */
};

struct nx_run_session {
	const char *name;   /* of its folder; after the run's name if there are several runs */
	const char *kind;   /* "programmatic", "on_demand" or "snapshot" */
	const char *reason; /* why it was recorded; "" if nobody said */
	uint64_t start_ns, end_ns; /* epoch; 0: nothing in it has a time */
	uint64_t gap_ns;	   /* not recorded between the sessions before it and this one */
	struct nx_run_hosts NX_VEC_BODY(struct nx_run_host) hosts;
};

#define NX_NO_SESSION UINT32_MAX

struct nx_system_process {  /* one <instance>_pid_<pid> folder, or one file of a host */
	const char *folder; /* relative to the directory given */
	const char *instance_id;
	uint64_t pid;
	const char *instance_type;
	const char *instance_ip, *instance_hostname; /* private: not exported unless asked */
	unsigned arch;
	uint32_t logical_nc_size;
	uint32_t cpu_count;
	uint64_t memory_capacity_bytes;
	uint32_t data_version; /* of its files */
	struct nx_ultraserver ultraserver;
	uint64_t init_ns, close_ns;
	uint32_t session; /* into the profile's; NX_NO_SESSION: its folder is of none */
	/* from the device's clock to the host's, by the first sync point */
	bool has_clock_offset;
	int64_t clock_offset_ns;
	uint64_t stored_event_count, total_event_count; /* records; differ when some were dropped */
	bool was_disk_full;				/* the capture says so */
	const char **names;				/* of events, categories, framework calls */
	size_t name_count;
	bool *name_is_used; /* of the recorded names: events of it occurred; may be NULL */
	size_t recorded_name_count;
	struct nx_core_worker { /* logical cores that have events */
		int32_t nc_idx;
		uint32_t worker_gid;
	} * workers;
	size_t worker_count;
	struct nx_thread_name { /* threads that have a name, by id */
		uint64_t thread_id;
		const char *name;
		const char *plane, *line; /* of another profiler's device; NULL: a thread */
	} * threads;
	size_t thread_count;
};

struct nx_device_capture { /* an NTFF found beside the traces, and the NEFF it belongs to */
	const char *session_path;
	const char *neff_path; /* NULL when none fits */
	/* of a session with several models, the NEFFs of the others; ends with NULL, or is NULL */
	const char *const *other_neffs;
	uint64_t model_id; /* 0 if the file name has none */
	const char *model_name;
	uint32_t process; /* UINT32_MAX outside of any process's folder */
	uint32_t rank;	  /* that the capture or its name tells; UINT32_MAX */
	uint32_t nc_idx;  /* logical core, if the name has it; else UINT32_MAX */
	uint32_t session; /* of the capture, if the name has it; else UINT32_MAX */
	bool is_empty;	  /* a core that ran nothing leaves an empty file */
};

/* An attribute of an event; its texts live as long as the call. */
struct nx_event_attribute {
	struct nx_slice key, value;
};
#define NX_MAX_ATTRIBUTES 32

struct nx_system_profile;
struct nx_event_shapes;
struct nx_read_attributes;

struct nx_system_source {
	enum nx_status (*scan)(void *context, enum nx_system_table table, nx_row_fn fn,
			       void *fn_context, struct nx_error *err);
	enum nx_status (*scan_process)(void *context, uint32_t process, nx_row_fn fn,
				       void *fn_context, struct nx_error *err);
	/* those of START, then of STOP, without nc_idx and worker_gid; returns their number */
	size_t (*attributes)(void *context, const struct nx_system_event *event,
			     struct nx_event_attribute *out, size_t cap);
	/* text of an interned id (model or tensor), which lives as long as the profile;
	 * "_unknown_" when the file has none */
	struct nx_slice (*interned)(void *context, uint32_t process, uint64_t id);
	/* the attributes with their shape (model/event_shapes.h); NULL: not supported */
	void (*read_attributes)(void *context, const struct nx_system_event *event,
				struct nx_event_shapes *shapes, struct nx_read_attributes *read);
	void *context;
};

struct nx_system_profile {
	struct nx_arena arena;
	const char *path;     /* of the directory */
	const char *run_path; /* absolute, of the run that the sessions are of; NULL: no sessions */
	struct nx_run_sessions NX_VEC_BODY(struct nx_run_session) sessions; /* in order of time */
	struct nx_system_process *processes;
	uint32_t process_count;
	struct nx_device_captures NX_VEC_BODY(struct nx_device_capture) devices;
	struct nx_warnings warnings;
	uint64_t rows[NX_SYSTEM_TABLE_COUNT]; /* steps and gaps: 0 before their first scan */
	uint64_t first_ns, last_ns;	      /* of all events */
	struct nx_system_source source;
};

NX_MUST_CHECK enum nx_status nx_system_scan(const struct nx_system_profile *profile,
					    enum nx_system_table table, nx_row_fn fn, void *context,
					    struct nx_error *err);
/* Events of one process. Threads may scan different processes at once. */
NX_MUST_CHECK enum nx_status nx_system_scan_process(const struct nx_system_profile *profile,
						    uint32_t process, nx_row_fn fn, void *context,
						    struct nx_error *err);
size_t nx_system_attributes(const struct nx_system_profile *profile,
			    const struct nx_system_event *event, struct nx_event_attribute *out,
			    size_t cap);
struct nx_slice nx_system_interned(const struct nx_system_profile *profile, uint32_t process,
				   uint64_t id);
/* The name the program gave a thread; NULL if it did not. */
const char *nx_system_thread_name(const struct nx_system_process *process, uint64_t thread_id);
/* The whole entry; NULL if the thread has no name. */
const struct nx_thread_name *nx_system_thread_of(const struct nx_system_process *process,
						 uint64_t thread_id);
/* "on demand" of "on_demand": for people. */
const char *nx_run_session_kind_text(const char *kind);
/* The worker of a logical core, UINT32_MAX if it has none. */
uint32_t nx_system_worker(const struct nx_system_process *process, int32_t nc_idx);
const char *nx_system_event_name(const struct nx_system_profile *profile,
				 const struct nx_system_event *event);

/* Unique names, parallel to profile->devices: device_profile_model_<id>, device_profile_rank_<i>,
 * or after the session's file; a number follows if a name is taken. NULL for empty captures. */
const char **nx_system_device_names(const struct nx_system_profile *profile,
				    struct nx_arena *arena);
void nx_system_warn(struct nx_system_profile *profile, const char *category, const char *fmt, ...)
	NX_PRINTF(3, 4);

#endif
