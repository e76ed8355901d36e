/* SPDX-License-Identifier: Apache-2.0 */
/*
 * software_port: the software NeuronCore. runtime/device computes the numbers and
 * runtime/timing the times; NEURON_SIM chooses one or both. If neither can run a NEFF,
 * the idle port does.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/device/device.h"
#include "runtime/device/device_program.h"
#include "runtime/device/device_ranks.h"
#include "runtime/device/schedule.h"
#include "runtime/nrt/device_port.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/timing/simulate.h"
#include "runtime/timing/timed_clock.h"

/* Times depend only on the program, the hardware, the seed and the number of ranks. */
struct outcome {
	struct nx_timed_run run;
	bool is_made;
	enum nx_status st; /* FORMAT: the engines wait forever; the run ends where they stopped */
	struct nx_error err;
};

struct software {
	const struct nx_neff *neff;
	struct nx_port_program *idle;
	struct nx_simulation_settings settings;
	struct nx_device *device;     /* NULL: no numbers, or it refused the NEFF */
	struct nx_device_program own; /* read where there is no device to borrow it from */
	const struct nx_device_program *program; /* NULL: it cannot be read */
	struct nx_device_clock door;		 /* passed to the device; set if there are times */
	struct nx_timed_clock *clock;
	bool has_times;
	struct nx_loaded_code code;
	struct nx_simulate_options options;
	struct outcome first, later;   /* GpSimd loads its library in the first execution */
	const struct outcome *outcome; /* of the latest run */
	uint64_t run_count;
	size_t next_collective; /* row of the outcome where the search for a collective starts */
	bool is_broken;		/* memory ran out while it ran: its lock may be held */
	bool has_warned_zero;	/* that outputs are zero */
	struct nx_device_report report;
	struct nx_device_ranks rank_door;    /* passed to the device when it opens */
	const struct nx_device_ranks *ranks; /* where rank_door leads; NULL: not connected */
};

static struct software *software_of(const struct nx_port_program *program)
{
	return (struct software *)(uintptr_t)program;
}

const struct nx_device_port *nx_device_port_choose(void)
{
	static const char *const names[] = {"software", "idle"};

	return nx_environment_choice("NEURON_EXPLORER_DEVICE", names, 2) == 0 ? &nx_software_port
									      : &nx_idle_port;
}

/* --- times: simulated once for all executions ----------------------------------------------- */

/* In the order in which engines of all cores begin them, then in the device's order. */
static int by_trigger(const void *left, const void *right)
{
	const struct nx_timed_collective *a = left, *b = right;

	if (a->trigger_ps != b->trigger_ps)
		return a->trigger_ps < b->trigger_ps ? -1 : 1;
	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->engine != b->engine)
		return a->engine < b->engine ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static const struct outcome *simulate(struct software *software)
{
	bool is_first =
		software->run_count == 0 || !software->options.hardware->frame.gpsimd_library_ps;
	struct outcome *outcome = is_first ? &software->first : &software->later;

	if (outcome->is_made)
		return outcome;
	software->options.is_first_execution = is_first;
	outcome->st =
		nx_simulate(&software->code, &software->options, &outcome->run, &outcome->err);
	if (outcome->run.collectives.len)
		qsort(outcome->run.collectives.items, outcome->run.collectives.len,
		      sizeof(*outcome->run.collectives.items), by_trigger);
	outcome->is_made = true;
	return outcome;
}

static const struct nx_loaded_slot *slot_of(const struct software *software,
					    const struct nx_timed_collective *row)
{
	return &software->code.cores[row->core].streams[row->engine].slots[row->slot];
}

/* Collectives usually come in the order of the rows, so the search starts behind the last one. */
static struct nx_device_moment find_moment(struct software *software,
					   const struct nx_device_collective *call)
{
	size_t count = software->outcome->run.collectives.len;

	assert(software->outcome);
	for (size_t i = 0; i < count; i++) {
		size_t at = (software->next_collective + i) % count;
		const struct nx_timed_collective *row =
			&software->outcome->run.collectives.items[at];

		if (row->core != call->core || row->engine != call->engine ||
		    slot_of(software, row)->compiler_pc != call->pc)
			continue;
		software->next_collective = at + 1;
		return (struct nx_device_moment){true, row->trigger_ps, row->start_ps, row->end_ps};
	}
	return (struct nx_device_moment){0};
}

/* Without a device no data moves; the ranks still learn when each collective happens. */
static void report_collectives(const struct software *software)
{
	const struct nx_device_ranks *ranks = software->ranks;
	struct nx_error err = {0};
	enum nx_status st = NX_OK;

	if (!ranks || !software->outcome || software->outcome->st)
		return;
	for (size_t i = 0; i < software->outcome->run.collectives.len && !st; i++) {
		const struct nx_timed_collective *row =
			&software->outcome->run.collectives.items[i];
		const struct nx_loaded_slot *slot = slot_of(software, row);
		struct nx_device_collective call = {
			.core = row->core,
			.engine = row->engine,
			.pc = slot->compiler_pc,
			.when = {true, row->trigger_ps, row->start_ps, row->end_ps},
		};

		nx_collective_word_get(slot->word.bytes, &call.word);
		nx_device_collective_set_ranks(&call, &software->program->cores[row->core]);
		st = ranks->run(ranks->context, &call, &err);
	}
	if (st)
		nx_log_warn("nrt_execute",
			    "a collective of this NEFF is missing from the profile: %s",
			    err.message);
}

/* --- opening ------------------------------------------------------------------------------- */

static enum nx_status pass_collective(void *context, const struct nx_device_collective *call,
				      struct nx_error *err)
{
	struct software *software = context;
	const struct nx_device_ranks *ranks = software->ranks;
	struct nx_device_collective timed = *call;

	if (!ranks)
		return nx_fail(err, NX_UNSUPPORTED,
			       "the model has collectives but was loaded without ranks");
	if (software->outcome)
		timed.when = find_moment(software, call);
	return ranks->run(ranks->context, &timed, err);
}

static enum nx_port_ranks connect_ranks(struct nx_port_program *program,
					const struct nx_device_ranks *ranks,
					const struct nx_collective_place *place)
{
	struct software *software = software_of(program);

	software->ranks = ranks;
	software->options.place = *place;
	if (!software->program || !nx_device_program_has_collectives(software->program))
		return NX_PORT_RANKS_NONE;
	if (software->device)
		return NX_PORT_RANKS_TOGETHER;
	return software->has_times ? NX_PORT_RANKS_APART : NX_PORT_RANKS_NONE;
}

static void open_numbers(struct software *software)
{
	const struct nx_device_options options = {.arch = NX_DEVICE_ANY,
						  .is_strict = software->settings.is_strict,
						  .clock = &software->door,
						  .ranks = &software->rank_door};
	struct nx_error err = {0};

	software->rank_door = (struct nx_device_ranks){software, pass_collective};
	if (nx_device_open(software->neff, &options, &software->device, &err)) {
		nx_log_warn("nrt_load",
			    "the simulator cannot run this NEFF, outputs will be zero: %s",
			    err.message);
		software->has_warned_zero = true;
	} else {
		software->program = nx_device_program_borrow(software->device);
	}
}

static void open_simulation(void *context)
{
	struct software *software = context;
	enum nx_device_arch arch;
	struct nx_error err = {0};

	if (software->settings.has_numbers)
		open_numbers(software);
	if (!software->program && software->settings.has_times) {
		if (nx_device_program_init(&software->own, software->neff, &err))
			nx_log_warn("nrt_load", "cannot time this NEFF: %s", err.message);
		else
			software->program = &software->own;
	}
	if (!software->program || !software->settings.has_times)
		return;
	arch = software->program->arch ? software->program->arch : NX_DEVICE_TRN2;
	software->options =
		(struct nx_simulate_options){.hardware = nx_device_hardware_of(arch),
					     .seed = software->settings.seed,
					     .has_descriptors = software->settings.has_descriptors,
					     .is_strict = software->settings.is_strict};
	software->has_times = !nx_loaded_code_make(&software->code, software->program, &err);
	if (!software->has_times)
		nx_log_warn("nrt_load", "cannot time this NEFF, profiles will be empty: %s",
			    err.message);
}

/* The simulator runs NEFFs of any chip, whatever the instance. */
static void log_arch(const struct software *software)
{
	const struct nx_instance_kind *kind = nx_state_instance()->kind;

	if (!software->program || !kind || nx_instance_runs(kind, software->program->arch))
		return;
	nx_log_info("nrt_load",
		    "the NEFF was compiled for %s; it runs as on that chip, not as on %s",
		    nx_chip_of(software->program->arch)->name, kind->type);
}

/* A simulation that a thread of the parent had begun starts anew; its memory may be in flux. */
static void abandon(struct nx_port_program *program)
{
	struct software *software = software_of(program);

	if (!software)
		return;
	if (software->device)
		nx_device_abandon(software->device);
	if (!software->first.is_made)
		memset(&software->first, 0, sizeof(software->first));
	if (!software->later.is_made)
		memset(&software->later, 0, sizeof(software->later));
}

static void close_program(struct nx_port_program *program)
{
	struct software *software = software_of(program);

	if (!software)
		return;
	nx_timed_clock_free(software->clock);
	nx_timed_run_release(&software->first.run);
	nx_timed_run_release(&software->later.run);
	nx_loaded_code_release(&software->code);
	if (!software->is_broken)
		nx_device_close(software->device);
	nx_device_program_release(&software->own);
	nx_idle_port.close(software->idle);
	nx_heap_free(software);
}

static enum nx_status open_program(const struct nx_neff *neff, struct nx_port_program **out,
				   struct nx_error *err)
{
	struct software *software = nx_heap_try_alloc(sizeof(*software));
	enum nx_status st;

	*out = NULL;
	if (!software)
		return nx_fail(err, NX_LIMIT, "out of memory for a model");
	software->neff = neff;
	st = nx_idle_port.open(neff, &software->idle, err);
	if (st) {
		nx_heap_free(software);
		return st;
	}
	nx_simulation_settings_read(&software->settings);
	if (!nx_heap_guarded(open_simulation, software)) {
		nx_log_warn("nrt_load",
			    "the simulator cannot run this NEFF, outputs will be zero: out of "
			    "memory");
		software->device = NULL;
		software->program = NULL;
		software->has_times = false;
	}
	log_arch(software);
	*out = (struct nx_port_program *)(void *)software;
	return NX_OK;
}

/* --- asking ---------------------------------------------------------------------------------- */

static enum nx_device_arch arch_of(const struct nx_port_program *program)
{
	const struct nx_device_program *read = software_of(program)->program;

	return read ? read->arch : NX_DEVICE_ANY;
}

static const struct nx_loaded_code *code_of(const struct nx_port_program *program)
{
	const struct software *software = software_of(program);

	return software->has_times ? &software->code : NULL;
}

static void record(const struct nx_port_program *program, const struct nx_port_run *run,
		   uint32_t first_core, struct nx_notified *out)
{
	static const char *const names[] = {[NX_TRACE_EVENT] = "EVENT",
					    [NX_TRACE_DMA] = "DMA",
					    [NX_TRACE_THROTTLE] = "THROTTLE"};
	const struct software *software = software_of(program);
	const struct nx_notify_options options = {
		.start_ps = run->start_ps,
		.first_core = first_core,
		.has_descriptors = software->settings.has_descriptors,
		.ring_bytes = {[NX_TRACE_EVENT] = software->settings.event_ring_bytes,
			       [NX_TRACE_DMA] = software->settings.dma_ring_bytes,
			       [NX_TRACE_THROTTLE] = software->settings.throttle_ring_bytes},
	};

	assert(!out->rings.len);
	if (!software->has_times || !software->outcome)
		return;
	nx_notifications_make(&software->code, &software->outcome->run,
			      software->device ? &software->report : NULL, &options, out);
	for (size_t i = 0; i < out->rings.len; i++)
		if (out->rings.items[i].lost_count)
			nx_log_warn("nrt_execute",
				    "a ring was too small: the %llu oldest records are lost; "
				    "raise NEURON_RT_PROFILE_BUF_%s_MB",
				    (unsigned long long)out->rings.items[i].lost_count,
				    names[out->rings.items[i].trace_type]);
}

/* --- running ---------------------------------------------------------------------------------- */

struct running {
	struct software *software;
	uint8_t *const *buffers;
	struct nx_port_run *run;
	enum nx_status st;
	struct nx_error *err;
};

/* Inputs before, outputs after. The device numbers its tensors as the NEFF does. */
static enum nx_status transfer(struct running *r, bool is_output)
{
	struct nx_device *device = r->software->device;
	const struct nx_neff *neff = r->software->neff;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < neff->tensor_count && !st; i++) {
		uint64_t size_bytes = neff->tensors[i]->size_bytes;

		if ((neff->tensors[i]->kind == NX_VARIABLE_OUTPUT) != is_output)
			continue;
		if (is_output)
			st = nx_device_read(device, i, 0, r->buffers[i], size_bytes, r->err);
		else
			st = nx_device_write(device, i, 0, nx_slice_of(r->buffers[i], size_bytes),
					     r->err);
	}
	return st;
}

/* Once per opcode and process. */
static void warn_unknown(const struct nx_device_report *report)
{
	static _Atomic uint64_t warned[4];

	for (unsigned i = 0; i < report->fault_count && i < NX_FAULT_KEPT; i++) {
		const struct nx_device_fault *fault = &report->faults[i];
		uint64_t bit = UINT64_C(1) << (fault->opcode % 64);

		if (fault->kind == NX_FAULT_UNKNOWN &&
		    !(atomic_fetch_or(&warned[fault->opcode / 64], bit) & bit))
			nx_log_warn("nrt_execute",
				    "opcode 0x%02x is not executed, its results are NaN: %s",
				    fault->opcode, fault->text);
	}
}

/* If there are times, instructions are computed in their order. */
static void set_clock(struct software *software)
{
	if (!software->outcome || software->outcome->st)
		return;
	if (!software->clock)
		software->clock = nx_timed_clock_new(&software->code, &software->outcome->run);
	nx_timed_clock_restart(software->clock);
	software->door = (struct nx_device_clock){software->clock, nx_timed_clock_choose,
						  nx_timed_clock_stepped};
}

static void compute(struct running *r)
{
	struct software *software = r->software;
	const uint64_t *faults = software->report.fault_counts;

	set_clock(software);
	r->st = transfer(r, false);
	if (!r->st) {
		r->st = nx_device_run(software->device, &software->report, r->err);
		r->run->is_hanging |= r->st == NX_FORMAT;
	}
	if (!r->st)
		r->st = transfer(r, true);
	if (faults[NX_FAULT_DMA_BOUNDS] || faults[NX_FAULT_ADDRESS_BOUNDS] ||
	    faults[NX_FAULT_INDEX_BOUNDS])
		r->run->fault = NX_PORT_BOUNDS;
	else
		r->run->fault = faults[NX_FAULT_NUMERICAL] ? NX_PORT_NUMERICAL : NX_PORT_NO_FAULT;
	warn_unknown(&software->report);
}

static void run_simulation(void *context)
{
	struct running *r = context;
	struct software *software = r->software;
	const struct outcome *outcome = NULL;
	uint64_t began_ps = nx_device_port_host_ps();

	memset(&software->report, 0, sizeof(software->report));
	if (software->has_times)
		outcome = simulate(software);
	software->outcome = outcome;
	software->next_collective = 0;
	software->run_count++;
	if (outcome && outcome->st) {
		*r->err = outcome->err;
		r->st = outcome->st;
		r->run->is_hanging = outcome->st == NX_FORMAT;
	}
	if (!software->device) {
		if (!software->has_warned_zero)
			nx_log_warn("nrt_execute", "only times are simulated; outputs are zero");
		software->has_warned_zero = true;
		nx_device_port_zero_outputs(software->neff, r->buffers);
		report_collectives(software);
	} else if (!r->st) {
		compute(r);
	}
	r->run->end_ps = r->run->start_ps +
			 (outcome ? outcome->run.end_ps : nx_device_port_host_ps() - began_ps);
}

static enum nx_status run_program(struct nx_port_program *program, uint8_t *const *buffers,
				  struct nx_port_run *run, struct nx_error *err)
{
	struct software *software = software_of(program);
	struct running r = {software, buffers, run, NX_OK, err};

	if (!software->device && !software->has_times)
		return nx_idle_port.run(software->idle, buffers, run, err);
	run->end_ps = run->start_ps;
	if (software->is_broken || !nx_heap_guarded(run_simulation, &r)) {
		software->is_broken = true;
		software->outcome = NULL;
		return nx_fail(err, NX_LIMIT,
			       "the simulator ran out of memory; load the model again");
	}
	return r.st;
}

const struct nx_device_port nx_software_port = {
	.name = "software",
	.open = open_program,
	.close = close_program,
	.abandon = abandon,
	.arch = arch_of,
	.connect = connect_ranks,
	.run = run_program,
	.code = code_of,
	.record = record,
};
