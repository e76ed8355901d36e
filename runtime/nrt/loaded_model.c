/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/loaded_model.h"

#include <assert.h>
#include <nrt/nrt_experimental.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/map.h"
#include "runtime/nrt/interned.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ranks/model_ranks.h"
#include "runtime/trace/tracer.h"

static_assert(offsetof(struct nx_model, object) == 0, "nx_object_drop takes a model");

static _Atomic uint32_t model_count;

/* --- life ----------------------------------------------------------------------------- */

static void destroy_model(struct nx_object *object)
{
	struct nx_model *model = (struct nx_model *)object;

	while (model->block_count)
		nx_memory_give(&model->blocks[--model->block_count]);
	if (model->port)
		model->port->close(model->program);
	nx_model_ranks_close(model->ranks);
	nx_arena_release(&model->arena);
	if (model->file.data)
		munmap((void *)(uintptr_t)model->file.data, model->file.len);
	nx_heap_free(model);
}

/* The host may free its bytes as soon as nrt_load returns. */
static enum nx_status copy_file(struct nx_model *model, const void *bytes, size_t len,
				struct nx_error *err)
{
	void *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return nx_fail(err, NX_LIMIT, "out of memory for a copy of the NEFF's %zu bytes",
			       len);
	memcpy(memory, bytes, len);
	model->file = nx_slice_of(memory, len);
	return NX_OK;
}

struct parsing {
	struct nx_model *model;
	enum nx_status st;
	struct nx_error *err;
};

static void parse(void *context)
{
	struct parsing *p = context;

	p->st = nx_neff_read(p->model->file, &p->model->arena, &p->model->neff, p->err);
	if (!p->st)
		p->st = nx_neff_check_program(&p->model->neff, p->err);
}

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
}

/* Device memory that a program needs besides its tensors. */
static NRT_STATUS take_memory(struct nx_model *model)
{
	struct {
		enum nx_memory_category category;
		uint64_t bytes;
	} wanted[NX_MODEL_BLOCKS] = {
		{NX_MEMORY_WEIGHT, 0}, {NX_MEMORY_SCRATCHPAD, 0}, {NX_MEMORY_GENERIC, 0}};
	NRT_STATUS st = NRT_SUCCESS;

	for (size_t g = 0; g < model->neff.graph_count; g++) {
		const struct nx_neff_graph *graph = &model->neff.graphs[g];

		for (size_t i = 0; i < graph->variable_count; i++)
			if (graph->variables[i].kind == NX_VARIABLE_FILE)
				add_bytes(&wanted[0].bytes, graph->variables[i].size_bytes);
		add_bytes(&wanted[1].bytes, graph->scratch_bytes);
		for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
			add_bytes(&wanted[2].bytes, graph->engines[engine].code.len);
	}
	for (unsigned i = 0; i < NX_MODEL_BLOCKS && st == NRT_SUCCESS; i++) {
		if (!wanted[i].bytes)
			continue;
		st = nx_memory_take(model->core, wanted[i].category, wanted[i].bytes,
				    &model->blocks[model->block_count]);
		model->block_count += st == NRT_SUCCESS;
	}
	return st;
}

/* --- names ------------------------------------------------------------------------------ */

struct twin {
	const struct nx_model *model;
	bool is_found;
};

static void compare_names(void *context, struct nx_object *object)
{
	const struct nx_model *other = (const struct nx_model *)object;
	struct twin *twin = context;

	if (other != twin->model &&
	    strcmp(other->neff.header.name, twin->model->neff.header.name) == 0 &&
	    memcmp(other->neff.header.uuid, twin->model->neff.header.uuid, 16) != 0)
		twin->is_found = true;
}

/* Files and events use the NEFF's name; if another NEFF has it too, add the start of the uuid. */
static void name_model(struct nx_model *model)
{
	const uint8_t *uuid = model->neff.header.uuid;
	struct twin twin = {model, false};
	char name[sizeof(model->neff.header.name) + 20];

	nx_handle_each(NX_HANDLE_MODEL, compare_names, &twin);
	if (twin.is_found)
		snprintf(name, sizeof(name), "%s#%02x%02x%02x%02x", model->neff.header.name,
			 uuid[0], uuid[1], uuid[2], uuid[3]);
	else
		snprintf(name, sizeof(name), "%s", model->neff.header.name);
	model->id = nx_interned_id(name);
}

/* --- loading ---------------------------------------------------------------------------- */

/*
 * A device refuses every NEFF of another size. Here one for fewer physical cores uses the first
 * ones of its logical core, as most small examples are such. One for more would use a core of a
 * neighbour. If the instance has no logical cores of that size, the NEFF is for another chip, and
 * runs as on that.
 */
static enum nx_status check_core_size(const struct nx_neff *neff, struct nx_error *err)
{
	const struct nx_instance *instance = nx_state_instance();
	uint32_t size = neff->header.logical_core_size, have = instance->core_size;

	if (!size || size == have)
		return NX_OK;
	if (size > have && size <= instance->kind->core_size)
		return nx_fail(
			err, NX_MISMATCH,
			"the NEFF was compiled with --logical-nc-config=%u, and this process "
			"has NEURON_LOGICAL_NC_CONFIG=%u; set it to %u before nrt_init, or "
			"compile for %u",
			size, have, size, have);
	nx_log_write(size < have && nx_instance_has_core_size() ? NX_LOG_WARN : NX_LOG_INFO,
		     "nrt_load",
		     "the NEFF was compiled with --logical-nc-config=%u, and this process has "
		     "NEURON_LOGICAL_NC_CONFIG=%u; it runs here, but a device would refuse it",
		     size, have);
	return NX_OK;
}

static NRT_STATUS open_model(struct nx_model *model, const void *bytes, size_t len)
{
	const struct nx_device_port *port = nx_device_port_choose();
	struct nx_error err = {0};
	struct parsing p = {model, NX_OK, &err};
	enum nx_status st = copy_file(model, bytes, len, &err);

	if (!st && !nx_heap_guarded(parse, &p))
		st = nx_fail(&err, NX_LIMIT, "out of memory while unpacking the NEFF's %zu bytes",
			     len);
	if (!st)
		st = p.st;
	if (!st)
		st = check_core_size(&model->neff, &err);
	if (!st)
		st = port->open(&model->neff, &model->program, &err);
	if (st)
		return nx_state_fail("nrt_load", &err);
	model->port = port;
	return take_memory(model);
}

/* The uuid tells models of the same ranks apart. */
static NRT_STATUS join_ranks(struct nx_model *model, uint32_t rank, uint32_t count)
{
	uint64_t words[2];
	struct nx_error err = {0};
	struct nx_collective_place place = nx_model_ranks_place(count);
	enum nx_port_ranks how = model->port->connect(model->program, NULL, &place);
	enum nx_status st;

	if (how == NX_PORT_RANKS_NONE)
		return NRT_SUCCESS;
	memcpy(words, model->neff.header.uuid, sizeof(words));
	if (how == NX_PORT_RANKS_APART)
		st = nx_model_ranks_open_apart(model->core, rank, count, &model->ranks, &err);
	else
		st = nx_model_ranks_open(model->core, rank, count, nx_hash_words(words, 2),
					 &model->ranks, &err);
	if (st)
		return nx_state_fail("nrt_load_collectives", &err);
	model->port->connect(model->program, nx_model_ranks_door(model->ranks), &place);
	return NRT_SUCCESS;
}

static void count_model(void *counts, struct nx_object *object)
{
	((uint32_t *)counts)[((struct nx_model *)object)->core % NX_TRACE_MAX_CORES]++;
}

static uint32_t least_used_core(void)
{
	uint32_t counts[NX_TRACE_MAX_CORES] = {0}, best = 0;

	nx_handle_each(NX_HANDLE_MODEL, count_model, counts);
	for (uint32_t core = 1; core < nx_state_instance()->visible_count; core++)
		if (counts[core] < counts[best])
			best = core;
	return best;
}

static NRT_STATUS choose_cores(int32_t vnc, int32_t vnc_count, uint32_t *core, uint32_t *count)
{
	uint32_t visible = nx_state_instance()->visible_count;

	if (vnc < -1 || vnc_count < -1 || vnc_count == 0)
		return NRT_INVALID;
	*core = vnc == -1 ? least_used_core() : (uint32_t)vnc;
	*count = vnc_count == -1 ? 1 : (uint32_t)vnc_count;
	if (*core < visible && *count <= visible - *core)
		return NRT_SUCCESS;
	nx_log_error("nrt_load",
		     "the model needs %u core%s from core %u on, and this process has %u", *count,
		     *count == 1 ? "" : "s", *core, visible);
	return NRT_LOAD_NOT_ENOUGH_NC;
}

struct loading { /* the arguments of both calls */
	const void *bytes;
	size_t len;
	int32_t vnc, vnc_count;
	unsigned event;
	uint32_t rank, rank_count;
};

static NRT_STATUS make_model(const struct loading *l, struct nx_model *model)
{
	NX_RETURN_IF_FAILED(open_model(model, l->bytes, l->len));
	NX_RETURN_IF_FAILED(join_ranks(model, l->rank, l->rank_count));
	name_model(model);
	model->number = atomic_fetch_add(&model_count, 1) + 1;
	return nx_handle_new(&model->object, NX_HANDLE_MODEL, destroy_model) ? NRT_SUCCESS
									     : NRT_RESOURCE;
}

static NRT_STATUS load(const struct loading *l, nrt_model_t **out)
{
	bool has_ranks = l->event == NX_TRACE_LOAD_COLLECTIVES;
	struct nx_model *model;
	uint32_t core, core_count;
	uint64_t span;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!l->bytes || !l->len || !out)
		return NRT_INVALID;
	*out = NULL;
	NX_RETURN_IF_FAILED(choose_cores(l->vnc, l->vnc_count, &core, &core_count));
	if (l->rank >= l->rank_count)
		return NRT_INVALID;
	span = nx_trace_start(core, l->event, has_ranks ? l->rank : 0,
			      has_ranks ? l->rank_count : 0, 0, 0);
	model = nx_heap_try_alloc(sizeof(*model));
	st = NRT_FAIL_HOST_MEM_ALLOC;
	if (model) {
		model->core = core;
		model->core_count = core_count;
		st = make_model(l, model);
	}
	if (st == NRT_SUCCESS)
		*out = model->object.handle;
	nx_trace_stop(core, l->event, span, st == NRT_SUCCESS ? model->id : 0, 0, 0, 0);
	if (model && st != NRT_SUCCESS)
		destroy_model(&model->object);
	return st;
}

NX_EXPORT NRT_STATUS nrt_load(const void *neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
			      nrt_model_t **model)
{
	const struct loading l = {neff_bytes, size, vnc, vnc_count, NX_TRACE_NRT_LOAD, 0, 1};

	return load(&l, model);
}

NX_EXPORT NRT_STATUS nrt_load_collectives(const void *neff_bytes, size_t size, int32_t vnc,
					  int32_t vnc_count, uint32_t ctx_device_id,
					  uint32_t ctx_device_count, nrt_model_t **model)
{
	const struct loading l = {
		neff_bytes,	 size, vnc, vnc_count, NX_TRACE_LOAD_COLLECTIVES, ctx_device_id,
		ctx_device_count};

	return load(&l, model);
}

NX_EXPORT NRT_STATUS nrt_unload(nrt_model_t *model)
{
	struct nx_object *closed;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!model)
		return NRT_INVALID;
	closed = nx_handle_close(model, NX_HANDLE_MODEL);
	nx_object_drop(closed);
	return closed ? NRT_SUCCESS : NRT_INVALID_HANDLE;
}
