/* SPDX-License-Identifier: Apache-2.0 */
/*
 * software_port: the software NeuronCore behind the port. runtime/device computes the
 * numbers and runtime/timing the times, each or both as NEURON_SIM says. Where neither
 * can run a NEFF, the idle port does.
 */
#include <stdatomic.h>

#include "runtime/device/device.h"
#include "runtime/device/device_program.h"
#include "runtime/device/device_ranks.h"
#include "runtime/device/schedule.h"
#include "runtime/nrt/device_port.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/nrt/timed_program.h"
#include "runtime/timing/timed_clock.h"

struct software {
	const struct nx_neff *neff;
	struct nx_port_program *idle;
	struct nx_simulation_settings settings;
	struct nx_device *device;     /* NULL: no numbers, or it refused the NEFF */
	struct nx_device_program own; /* read where there is no device to borrow it from */
	const struct nx_device_program *program; /* NULL: it cannot be read */
	struct nx_device_clock door;		 /* the device's; open when there are times */
	struct nx_timed_clock *clock;
	struct nx_timed_program timed;
	bool has_times;
	const struct nx_timed_outcome *outcome; /* of the latest run */
	uint64_t run_count;
	size_t next_collective; /* of the outcome, by order */
	bool is_broken;		/* memory ran out inside it: its lock may be held */
	bool has_told_zero;	/* that outputs are zero */
	struct nx_device_report report;
	struct nx_device_ranks rank_door;    /* the device's, open for its whole life */
	const struct nx_device_ranks *ranks; /* behind it; NULL before they are connected */
};

/* The port's program is ours, behind the name that all ports share. */
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
		timed.when = nx_timed_program_collective(&software->timed, software->outcome, call,
							 &software->next_collective);
	return ranks->run(ranks->context, &timed, err);
}

static enum nx_port_ranks connect_ranks(struct nx_port_program *program,
					const struct nx_device_ranks *ranks,
					const struct nx_collective_place *place)
{
	struct software *software = software_of(program);

	software->ranks = ranks;
	software->timed.options.place = *place;
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
		software->has_told_zero = true;
	} else {
		software->program = nx_device_program_borrow(software->device);
	}
}

static void open_times(struct software *software)
{
	const struct nx_simulation_settings *settings = &software->settings;
	struct nx_error err = {0};

	if (nx_timed_program_init(&software->timed, software->program, settings->seed,
				  settings->is_strict, &err))
		nx_log_warn("nrt_load", "cannot time this NEFF, profiles will be empty: %s",
			    err.message);
	else
		software->has_times = true;
}

static void open_simulation(void *context)
{
	struct software *software = context;
	struct nx_error err = {0};

	if (software->settings.has_numbers)
		open_numbers(software);
	if (!software->program && software->settings.has_times) {
		if (nx_device_program_init(&software->own, software->neff, &err))
			nx_log_warn("nrt_load", "cannot time this NEFF: %s", err.message);
		else
			software->program = &software->own;
	}
	if (software->program && software->settings.has_times)
		open_times(software);
}

/* A laptop runs what it is given, whatever instance it plays. */
static void tell_arch(const struct software *software)
{
	const struct nx_instance_kind *kind = nx_state_instance()->kind;

	if (!software->program || !kind || nx_instance_runs(kind, software->program->arch))
		return;
	nx_log_info("nrt_load",
		    "the NEFF was compiled for %s; it runs as on that chip, not as on %s",
		    nx_chip_of(software->program->arch)->name, kind->type);
}

static void close_program(struct nx_port_program *program)
{
	struct software *software = software_of(program);

	if (!software)
		return;
	nx_timed_clock_free(software->clock);
	nx_timed_program_release(&software->timed);
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
	tell_arch(software);
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

	return software->has_times ? &software->timed.code : NULL;
}

static const char *ring_name(uint8_t trace_type)
{
	return trace_type == NX_TRACE_EVENT ? "EVENT"
	       : trace_type == NX_TRACE_DMA ? "DMA"
					    : "THROTTLE";
}

static void record(const struct nx_port_program *program, const struct nx_port_run *run,
		   uint32_t first_core, struct nx_notified *out)
{
	const struct software *software = software_of(program);
	const struct nx_notify_options options = {
		.start_ps = run->start_ps,
		.first_core = first_core,
		.has_descriptors = software->settings.has_descriptors,
		.ring_bytes = {[NX_TRACE_EVENT] = software->settings.event_ring_bytes,
			       [NX_TRACE_DMA] = software->settings.dma_ring_bytes,
			       [NX_TRACE_THROTTLE] = software->settings.throttle_ring_bytes},
	};

	if (!software->has_times || !software->outcome)
		return;
	nx_notifications_make(&software->timed.code, &software->outcome->run,
			      software->device ? &software->report : NULL, &options, out);
	for (size_t i = 0; i < out->rings.len; i++)
		if (out->rings.items[i].lost_count)
			nx_log_warn("nrt_execute",
				    "a ring was too small: the %llu oldest records are lost; "
				    "raise NEURON_RT_PROFILE_BUF_%s_MB",
				    (unsigned long long)out->rings.items[i].lost_count,
				    ring_name(out->rings.items[i].trace_type));
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

static enum nx_port_fault worst_fault(const struct nx_device_report *report)
{
	if (report->fault_counts[NX_FAULT_DMA_BOUNDS] ||
	    report->fault_counts[NX_FAULT_ADDRESS_BOUNDS] ||
	    report->fault_counts[NX_FAULT_INDEX_BOUNDS])
		return NX_PORT_BOUNDS;
	return report->fault_counts[NX_FAULT_NUMERICAL] ? NX_PORT_NUMERICAL : NX_PORT_NO_FAULT;
}

/* Once for an opcode, whichever program has it. */
static void tell_unknown(const struct nx_device_report *report)
{
	static _Atomic uint64_t told[4];

	for (unsigned i = 0; i < report->fault_count && i < NX_FAULT_KEPT; i++) {
		const struct nx_device_fault *fault = &report->faults[i];
		uint64_t bit = UINT64_C(1) << (fault->opcode % 64);

		if (fault->kind == NX_FAULT_UNKNOWN &&
		    !(atomic_fetch_or(&told[fault->opcode / 64], bit) & bit))
			nx_log_warn("nrt_execute",
				    "opcode 0x%02x is not executed, its results are NaN: %s",
				    fault->opcode, fault->text);
	}
}

static void zero_outputs(struct running *r)
{
	if (!r->software->has_told_zero)
		nx_log_warn("nrt_execute", "only times are simulated; outputs are zero");
	r->software->has_told_zero = true;
	nx_device_port_zero_outputs(r->software->neff, r->buffers);
}

/* Numbers follow the order of the times, where there are times. */
static void set_clock(struct software *software)
{
	if (!software->outcome || software->outcome->st)
		return;
	if (!software->clock)
		software->clock =
			nx_timed_clock_new(&software->timed.code, &software->outcome->run);
	nx_timed_clock_restart(software->clock);
	software->door = (struct nx_device_clock){software->clock, nx_timed_clock_choose,
						  nx_timed_clock_stepped};
}

static void compute(struct running *r)
{
	struct software *software = r->software;

	set_clock(software);
	r->st = transfer(r, false);
	if (!r->st) {
		r->st = nx_device_run(software->device, &software->report, r->err);
		r->run->is_hanging |= r->st == NX_FORMAT;
	}
	if (!r->st)
		r->st = transfer(r, true);
	r->run->fault = worst_fault(&software->report);
	tell_unknown(&software->report);
}

/* Nobody moves data; the ranks hear when it would have gone. */
static void tell_collectives(struct software *software)
{
	struct nx_error err = {0};

	if (!software->ranks || !software->outcome || software->outcome->st)
		return;
	if (nx_timed_program_tell(&software->timed, software->outcome, software->ranks, &err))
		nx_log_warn("nrt_execute",
			    "a collective of this NEFF is missing from the profile: %s",
			    err.message);
}

static void run_simulation(void *context)
{
	struct running *r = context;
	struct software *software = r->software;
	const struct nx_timed_outcome *outcome = NULL;
	uint64_t began_ps = nx_device_port_host_ps();

	memset(&software->report, 0, sizeof(software->report));
	if (software->has_times)
		outcome = nx_timed_program_run(&software->timed, software->run_count);
	software->outcome = outcome;
	software->next_collective = 0;
	software->run_count++;
	if (outcome && outcome->st) {
		*r->err = outcome->err;
		r->st = outcome->st;
		r->run->is_hanging = outcome->st == NX_FORMAT;
	}
	if (!software->device) {
		zero_outputs(r);
		tell_collectives(software);
	} else if (!r->st)
		compute(r);
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
	.arch = arch_of,
	.connect = connect_ranks,
	.run = run_program,
	.code = code_of,
	.record = record,
};
