/* SPDX-License-Identifier: Apache-2.0 */
/*
 * software_port: the software NeuronCore behind the port. What a NEFF declares is
 * known from the idle port; the device adds the run.
 */
#include <stdlib.h>

#include "runtime/device/device.h"
#include "runtime/nrt/device_port.h"
#include "runtime/nrt/nrt_log.h"

struct software {
	struct nx_port_program *idle;
	struct nx_device *device; /* NULL: it refused the NEFF */
	bool is_broken;		  /* memory ran out inside it: its lock may be held */
	struct nx_device_report report;
};

/* The port's program is ours, behind the name that all ports share. */
static struct software *software_of(const struct nx_port_program *program)
{
	return (struct software *)(uintptr_t)program;
}

const struct nx_device_port *nx_device_port_choose(void)
{
	const char *name = getenv("NEURON_EXPLORER_DEVICE");

	if (name && *name && strcmp(name, "idle") != 0 && strcmp(name, "software") != 0)
		nx_log_error("NEURON_EXPLORER_DEVICE=%.40s is neither software nor idle; software "
			     "is used",
			     name);
	return name && strcmp(name, "idle") == 0 ? &nx_idle_port : &nx_software_port;
}

/* --- opening ------------------------------------------------------------------------------- */

struct opening {
	struct nx_slice file;
	struct software *software;
	enum nx_status st;
	struct nx_error err;
};

static void open_device(void *context)
{
	struct opening *o = context;
	const struct nx_device_options options = {.arch = NX_DEVICE_ANY};

	o->st = nx_device_open(o->file, &options, &o->software->device, &o->err);
}

static void close_program(struct nx_port_program *program)
{
	struct software *software = software_of(program);

	if (!software)
		return;
	if (!software->is_broken)
		nx_device_close(software->device);
	nx_idle_port.close(software->idle);
	nx_heap_free(software);
}

static enum nx_status open_program(struct nx_slice file, const struct nx_neff *neff,
				   struct nx_port_program **out, struct nx_error *err)
{
	struct opening o = {.file = file, .software = nx_heap_try_alloc(sizeof(*o.software))};
	enum nx_status st;

	*out = NULL;
	if (!o.software)
		return nx_fail(err, NX_LIMIT, "no memory for a model");
	st = nx_idle_port.open(file, neff, &o.software->idle, err);
	if (st) {
		nx_heap_free(o.software);
		return st;
	}
	if (!nx_heap_guarded(open_device, &o))
		o.st = nx_fail(&o.err, NX_LIMIT, "memory ran out");
	if (o.st) {
		nx_log_warn("the software core cannot run this NEFF, outputs will be zero: %s",
			    o.err.message);
		o.software->device = NULL;
	}
	*out = (struct nx_port_program *)(void *)o.software;
	return NX_OK;
}

/* --- asking ---------------------------------------------------------------------------------- */

static uint32_t graph_count(const struct nx_port_program *program)
{
	return nx_idle_port.graph_count(software_of(program)->idle);
}

static size_t tensor_count(const struct nx_port_program *program)
{
	return nx_idle_port.tensor_count(software_of(program)->idle);
}

static const struct nx_port_tensor *tensor_at(const struct nx_port_program *program, size_t index)
{
	return nx_idle_port.tensor(software_of(program)->idle, index);
}

static struct nx_port_memory memory_of(const struct nx_port_program *program)
{
	return nx_idle_port.memory(software_of(program)->idle);
}

/* --- running ---------------------------------------------------------------------------------- */

struct running {
	struct software *software;
	uint8_t *const *buffers;
	struct nx_port_run *run;
	enum nx_status st;
	struct nx_error *err;
};

/* Inputs before, outputs after. */
static enum nx_status transfer(struct running *r, bool is_output)
{
	struct nx_device *device = r->software->device;
	size_t count = nx_idle_port.tensor_count(r->software->idle);
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < count && !st; i++) {
		const struct nx_port_tensor *tensor = nx_idle_port.tensor(r->software->idle, i);
		size_t index = nx_device_find(device, tensor->name);

		if (tensor->is_output != is_output || index == NX_DEVICE_NO_TENSOR)
			continue;
		if (is_output)
			st = nx_device_read(device, index, 0, r->buffers[i], tensor->size_bytes,
					    r->err);
		else
			st = nx_device_write(device, index, 0,
					     nx_slice_of(r->buffers[i], tensor->size_bytes),
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

static void run_device(void *context)
{
	struct running *r = context;

	memset(&r->software->report, 0, sizeof(r->software->report));
	r->st = transfer(r, false);
	r->run->start_ps = nx_device_port_now_ps();
	if (!r->st)
		r->st = nx_device_run(r->software->device, &r->software->report, r->err);
	r->run->end_ps = nx_device_port_now_ps();
	if (!r->st)
		r->st = transfer(r, true);
	r->run->fault = worst_fault(&r->software->report);
}

static enum nx_status run_program(struct nx_port_program *program, uint8_t *const *buffers,
				  struct nx_port_run *run, struct nx_error *err)
{
	struct software *software = software_of(program);
	struct running r = {software, buffers, run, NX_OK, err};

	if (!software->device)
		return nx_idle_port.run(software->idle, buffers, run, err);
	*run = (struct nx_port_run){.start_ps = nx_device_port_now_ps()};
	run->end_ps = run->start_ps;
	if (software->is_broken || !nx_heap_guarded(run_device, &r)) {
		software->is_broken = true;
		return nx_fail(err, NX_LIMIT,
			       "memory ran out in the software core; load the model "
			       "again");
	}
	return r.st;
}

const struct nx_device_port nx_software_port = {
	.name = "software",
	.open = open_program,
	.close = close_program,
	.graph_count = graph_count,
	.tensor_count = tensor_count,
	.tensor = tensor_at,
	.memory = memory_of,
	.run = run_program,
};
