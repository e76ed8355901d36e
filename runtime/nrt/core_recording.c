/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/core_recording.h"

#include <assert.h>
#include <string.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/guest_files.h"

#define MAX_EXECUTIONS 100000
#define MAX_MODELS 64
#define MAX_RING_BYTES (UINT64_C(256) << 20)

static struct nx_recorded_model *find_recorded(struct nx_core_recording *kept,
					       const struct nx_model *model)
{
	for (size_t i = 0; i < kept->models.len; i++)
		if (nx_slice_equal(nx_ntff_model_uid(kept->models.items[i].model),
				   nx_ntff_model_uid(model)))
			return &kept->models.items[i];
	return NULL;
}

static uint64_t ring_bytes(const struct nx_notified *notified)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < notified->rings.len; i++)
		bytes += notified->rings.items[i].records.len;
	return bytes;
}

/* A program may run for days: once is enough. */
static void warn_full(struct nx_core_recording *kept, uint32_t core, const char *reason)
{
	if (!kept->is_full)
		nx_log_warn("nrt_execute",
			    "core %u: the device profile of this session is incomplete from here "
			    "on: %s; take shorter sessions to have it all",
			    core, reason);
	kept->is_full = true;
}

static bool wants_rings(struct nx_core_recording *kept, const struct nx_recorded_model *recorded)
{
	uint64_t bytes = ring_bytes(&kept->rings);

	for (size_t i = 0; i < kept->models.len; i++)
		bytes += ring_bytes(&kept->models.items[i].own);
	/* Without a timeline nothing separates the executions of a model: only the first counts. */
	if (!nx_ntff_has_timeline(recorded->model) && recorded->own.rings.len)
		return false;
	if (bytes >= MAX_RING_BYTES)
		warn_full(kept, recorded->model->core, "its records have reached 256 MiB");
	return bytes < MAX_RING_BYTES;
}

/* Rings of the same kinds in the same order; a model may use more cores than those before. */
static void append_rings(struct nx_notified *to, struct nx_notified *from)
{
	for (size_t i = 0; i < from->rings.len; i++) {
		struct nx_notified_ring *ring = &from->rings.items[i];

		if (i < to->rings.len) {
			nx_bytes_append(&to->rings.items[i].records, ring->records.items,
					ring->records.len);
		} else {
			nx_vec_push(&to->rings, *ring);
			memset(ring, 0, sizeof(*ring));
		}
	}
}

struct adding {
	struct nx_core_recording *kept;
	struct nx_model *model;
	const struct nx_port_run *run;
	struct nx_notified rings; /* here, so that they are released if memory runs out */
};

static struct nx_recorded_model *add_model(struct nx_core_recording *kept, struct nx_model *model)
{
	nx_vec_push(&kept->models, ((struct nx_recorded_model){.model = model}));
	nx_object_hold(model);
	return &kept->models.items[kept->models.len - 1];
}

static void add_guarded(void *context)
{
	struct adding *a = context;
	struct nx_core_recording *kept = a->kept;
	struct nx_recorded_model *recorded = find_recorded(kept, a->model);
	struct nx_notified *to;

	if (!recorded)
		recorded = add_model(kept, a->model);
	nx_vec_push(&kept->executions,
		    ((struct nx_ntff_execution){nx_ntff_model_uid(recorded->model),
						a->run->start_ps, a->run->end_ps}));
	recorded->duration_ps = a->run->end_ps - a->run->start_ps;
	if (!wants_rings(kept, recorded))
		return;
	a->model->port->record(a->model->program, a->run,
			       nx_instance_physical_core(nx_state_instance(), a->model->core),
			       &a->rings);
	to = nx_ntff_has_timeline(a->model) ? &kept->rings : &recorded->own;
	if (to->rings.len) {
		append_rings(to, &a->rings);
	} else {
		*to = a->rings;
		memset(&a->rings, 0, sizeof(a->rings));
	}
}

/* The header has a digest of the rest. */
static bool is_same_neff(const struct nx_model *a, const struct nx_model *b)
{
	return a == b || (a->file.len == b->file.len &&
			  nx_slice_equal(nx_slice_part(a->file, 0, NX_NEFF_HEADER_BYTES),
					 nx_slice_part(b->file, 0, NX_NEFF_HEADER_BYTES)));
}

/* NULL if an execution of the model can be added. */
static const char *obstacle(struct nx_core_recording *kept, const struct nx_model *model)
{
	const struct nx_recorded_model *recorded = find_recorded(kept, model);

	if (kept->executions.len >= MAX_EXECUTIONS)
		return "it lists 100,000 executions";
	if (!recorded && kept->models.len >= MAX_MODELS)
		return "it has 64 models";
	if (recorded && !is_same_neff(recorded->model, model))
		return "two models have the same id";
	/* A file has one version: the first model's. */
	assert(!kept->models.len || kept->models.items);
	if (kept->models.len &&
	    nx_ntff_has_timeline(kept->models.items[0].model) != nx_ntff_has_timeline(model))
		return "models of different architectures ran";
	return NULL;
}

void nx_core_recording_add(struct nx_core_recording *kept, struct nx_model *model,
			   const struct nx_port_run *run)
{
	struct adding adding = {.kept = kept, .model = model, .run = run};
	const char *reason = obstacle(kept, model);

	if (!reason && !nx_heap_guarded(add_guarded, &adding))
		reason = "memory ran out";
	nx_notified_release(&adding.rings);
	if (reason)
		warn_full(kept, model->core, reason);
}

void nx_core_recording_clear(struct nx_core_recording *kept)
{
	for (size_t i = 0; i < kept->models.len; i++) {
		nx_object_drop(kept->models.items[i].model);
		nx_notified_release(&kept->models.items[i].own);
	}
	nx_vec_release(&kept->models);
	nx_vec_release(&kept->executions);
	nx_notified_release(&kept->rings);
	memset(&kept->rings, 0, sizeof(kept->rings));
	kept->is_full = false;
}

NRT_STATUS nx_core_recording_write(const struct nx_core_recording *kept, const char *path,
				   const char *call)
{
	struct nx_bytes ntff = {0};
	struct nx_error err = {0};
	NRT_STATUS st = NRT_RESOURCE;
	struct nx_ntff_model parts[MAX_MODELS];
	const struct nx_ntff_recording recording = {
		.models = parts,
		.model_count = kept->models.len,
		.notified = &kept->rings,
		.executions = kept->executions.items,
		.execution_count = kept->executions.len,
		.has_process = true,
	};

	if (!kept->executions.len) {
		nx_log_error(call, "nothing was executed during the session");
		return NRT_INVALID;
	}
	for (size_t i = 0; i < kept->models.len; i++)
		parts[i] = (struct nx_ntff_model){kept->models.items[i].model,
						  kept->models.items[i].duration_ps,
						  &kept->models.items[i].own};
	if (nx_ntff_encode(&recording, &ntff))
		st = nx_guest_write_file(path, nx_slice_of(ntff.items, ntff.len), &err)
			     ? nx_state_fail(call, &err)
			     : NRT_SUCCESS;
	nx_vec_release(&ntff);
	return st;
}
