/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/event_roles.h"

#include <assert.h>
#include <string.h>

uint8_t nx_event_role_of(const char *event_name)
{
	static const struct {
		const char *name;
		uint8_t role;
	} roles[] = {
		{"nrt_dma_mem_alloc", NX_ROLE_ALLOCATE},
		{"nrt_dma_mem_dealloc", NX_ROLE_RELEASE},
		{"dmem_buf_copyin", NX_ROLE_TO_DEVICE},
		{"dmem_buf_batch_copyin", NX_ROLE_TO_DEVICE},
		{"dmem_buf_copyout", NX_ROLE_TO_HOST},
		{"dmem_buf_batch_copyout", NX_ROLE_TO_HOST},
		{"kbl_exec_pre", NX_ROLE_EXECUTION},
		{"kbl_exec_core", NX_ROLE_EXECUTION},
		{"kbl_exec_wait", NX_ROLE_EXECUTION},
		{"kbl_exec_post", NX_ROLE_EXECUTION},
		{"nc_exec_running", NX_ROLE_EXECUTION},
		{"nc_model_switch", NX_ROLE_EXECUTION},
		{"nrt_model_switch", NX_ROLE_EXECUTION},
		{"cc_running", NX_ROLE_EXECUTION},
		{"cc_exec_barrier", NX_ROLE_EXECUTION},
		{"timestamp_sync_point", NX_ROLE_SYNC},
		{"enc_barrier", NX_ROLE_BARRIER},
		{"enc_barrier_send", NX_ROLE_PEER},
		{"enc_barrier_recv", NX_ROLE_PEER},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(event_name, roles[i].name))
			return roles[i].role;
	return NX_ROLE_NONE;
}

/* Attributes that we read. */
enum key {
	EXEC_ID,
	MODEL_ID,
	NC_TIME,
	NC_START_TIME,
	CPU_TIME,
	IS_DEVICE_MEMORY,
	USAGE_TYPE,
	HBM_IDX,
	DEVICE_IDX,
	FREED_BYTES,
	ALLOCATED_BYTES,
	TOTAL_BYTES,
	USAGE_TOTAL_BYTES,
	BARRIER_NUM,
	RANK,
	PEER,
};

static const char *const key_names[NX_ROLE_KEYS] = {
	[EXEC_ID] = "exec_id",
	[MODEL_ID] = "model_id",
	[NC_TIME] = "nc_timestamp_ns",
	[NC_START_TIME] = "nc_start_timestamp_ns",
	[CPU_TIME] = "cpu_timestamp_ns",
	[IS_DEVICE_MEMORY] = "is_nc_hbm",
	[USAGE_TYPE] = "usage_type",
	[HBM_IDX] = "hbm_idx",
	[DEVICE_IDX] = "mla_idx",
	[FREED_BYTES] = "freed_bytes",
	[ALLOCATED_BYTES] = "allocated_bytes",
	[TOTAL_BYTES] = "total_bytes",
	[USAGE_TOTAL_BYTES] = "usage_type_total_bytes",
	[BARRIER_NUM] = "barrier_num",
	[RANK] = "nec_dev_id",
	[PEER] = "peer_id",
};

static_assert(PEER + 1 == NX_ROLE_KEYS, "every key has a place");

static struct nx_slice find(struct nx_role_places *places, const struct nx_read_attributes *read,
			    enum key key)
{
	size_t i = 0;

	if (!read->shape) {
		while (i < read->count && !nx_slice_is(read->items[i].key, key_names[key]))
			i++;
	} else {
		uint32_t shape = read->shape->idx;

		if (!places->shapes[shape].is_known)
			for (size_t k = 0; k < NX_ROLE_KEYS; k++)
				places->shapes[shape].of[k] =
					(uint8_t)nx_event_shape_find(read->shape, key_names[k]);
		places->shapes[shape].is_known = true;
		i = places->shapes[shape].of[key];
	}
	return i < read->count ? read->items[i].value : (struct nx_slice){0};
}

static uint64_t number(struct nx_role_places *places, const struct nx_read_attributes *read,
		       enum key key)
{
	uint64_t value;

	return nx_slice_to_u64(find(places, read, key), &value) ? value : 0;
}

/* Executions are numbered per core and process; only some of their events name the model. */
uint64_t nx_execution_flow(struct nx_role_places *places, const struct nx_system_event *event,
			   const struct nx_read_attributes *read, uint64_t *model_id)
{
	struct nx_slice exec = find(places, read, EXEC_ID), model = find(places, read, MODEL_ID);
	uint64_t flow, id;

	if (!exec.data)
		return 0;
	flow = nx_fnv1a(NX_FNV_SEED, &event->process, sizeof(event->process));
	flow = nx_fnv1a(flow, &event->nc_idx, sizeof(event->nc_idx));
	flow = nx_fnv1a(flow, exec.data, exec.len) | 1;
	if (model.data && nx_slice_to_u64(model, &id))
		*model_id = id;
	return flow;
}

/* Runtimes that do not number barriers number executions, which is the same if ranks run alike. */
bool nx_barrier_of(struct nx_role_places *places, const struct nx_system_event *event,
		   const struct nx_read_attributes *read, struct nx_rank_barrier *barrier)
{
	*barrier = (struct nx_rank_barrier){
		.number = number(places, read, BARRIER_NUM),
		.execution = number(places, read, EXEC_ID),
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.is_open = (event->flags & NX_EVENT_UNFINISHED) != 0,
	};
	if (!barrier->number)
		barrier->number = barrier->execution;
	return nx_slice_to_u64(find(places, read, RANK), &barrier->rank) && barrier->number;
}

bool nx_peer_of(struct nx_role_places *places, const struct nx_read_attributes *read,
		uint64_t *rank)
{
	struct nx_slice peer = find(places, read, PEER);

	return peer.data && nx_slice_to_u64(peer, rank);
}

bool nx_sync_offset(struct nx_role_places *places, const struct nx_read_attributes *read,
		    int64_t *offset_ns)
{
	struct nx_slice device = find(places, read, NC_TIME);
	uint64_t device_ns, host_ns;

	if (!device.data)
		device = find(places, read, NC_START_TIME);
	if (!nx_slice_to_u64(device, &device_ns) ||
	    !nx_slice_to_u64(find(places, read, CPU_TIME), &host_ns))
		return false;
	*offset_ns = (int64_t)(host_ns - device_ns);
	return true;
}

bool nx_memory_change_of(struct nx_role_places *places, const struct nx_system_event *event,
			 const struct nx_read_attributes *read, bool is_release,
			 struct nx_memory_change *change, struct nx_slice *category)
{
	if (!number(places, read, IS_DEVICE_MEMORY))
		return false;
	*category = find(places, read, USAGE_TYPE);
	*change = (struct nx_memory_change){
		.time_ns = event->end_ns,
		.change = {.size_bytes =
				   number(places, read, is_release ? FREED_BYTES : ALLOCATED_BYTES),
			   .is_release = is_release,
			   .total_bytes = number(places, read, TOTAL_BYTES),
			   .category_total_bytes = number(places, read, USAGE_TOTAL_BYTES)},
		.row = {.time_ns = event->end_ns,
			.process = event->process,
			.nc_idx = event->nc_idx,
			.hbm_idx = (uint32_t)number(places, read, HBM_IDX),
			.device_idx = (uint32_t)number(places, read, DEVICE_IDX),
			.category = UINT32_MAX},
	};
	return true;
}

/* --- device memory in use --------------------------------------------------- */

#define ALL_CATEGORIES UINT32_MAX
#define MAX_CHAINS 2 /* a logical core is made of one or two physical ones */

static struct nx_hbm_totals *chains_of(struct nx_hbm_analysis *a, const struct nx_hbm_sample *row,
				       uint32_t category)
{
	uint64_t h = nx_fnv1a(NX_FNV_SEED, &row->process, sizeof(row->process)), index;

	h = nx_fnv1a(h, &row->nc_idx, sizeof(row->nc_idx));
	h = nx_fnv1a(h, &category, sizeof(category));
	if (!nx_map_get(&a->index, h, &index)) {
		index = a->chains.len;
		nx_map_put(&a->index, h, index);
		nx_vec_push(&a->chains, ((struct nx_hbm_chains){0}));
	}
	return &a->chains.items[index].totals;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t follow_total(struct nx_hbm_totals *totals, const struct nx_hbm_change *change,
			     uint64_t total)
{
	uint64_t before =
		change->is_release ? total + change->size_bytes : total - change->size_bytes;
	size_t max = change->core_count && change->core_count < MAX_CHAINS ? change->core_count
									   : MAX_CHAINS;
	uint64_t sum = 0;
	size_t nearest = 0;

	for (size_t i = 1; i < totals->len; i++)
		if (distance(totals->items[i], before) < distance(totals->items[nearest], before))
			nearest = i;
	if (totals->len && (totals->items[nearest] == before || totals->len >= max))
		totals->items[nearest] = total;
	else
		nx_vec_push(totals, total);
	for (size_t i = 0; i < totals->len; i++)
		sum += totals->items[i];
	return sum;
}

void nx_hbm_add(struct nx_hbm_analysis *a, const struct nx_hbm_change *change,
		struct nx_hbm_sample *row)
{
	row->total_bytes =
		follow_total(chains_of(a, row, ALL_CATEGORIES), change, change->total_bytes);
	row->category_bytes = follow_total(chains_of(a, row, row->category), change,
					   change->category_total_bytes);
}

void nx_hbm_release(struct nx_hbm_analysis *a)
{
	for (size_t i = 0; i < a->chains.len; i++)
		nx_vec_release(&a->chains.items[i].totals);
	nx_vec_release(&a->chains);
	nx_map_release(&a->index);
}

/* --- contents of device memories --------------------------------------------- */

#define ANY_CATEGORY (UINT64_C(1) << 32) /* beyond any category */

static struct nx_hbm_place *place_of(struct nx_hbm_places *p, uint32_t instance,
				     const struct nx_hbm_sample *sample)
{
	const uint64_t words[] = {instance, sample->device_idx, sample->hbm_idx};
	uint64_t key = nx_hash_words(words, 3), index;

	if (!nx_map_get(&p->index, key, &index)) {
		index = p->places.len;
		nx_map_put(&p->index, key, index);
		nx_vec_push(&p->places, ((struct nx_hbm_place){0}));
	}
	return &p->places.items[index];
}

/* Moves *bytes by the change of what the core has allocated. */
static void follow_place(struct nx_hbm_places *p, const struct nx_hbm_sample *sample,
			 uint64_t category, uint64_t now, uint64_t *bytes)
{
	const uint64_t words[] = {sample->process, (uint64_t)sample->nc_idx, category};
	uint64_t key = nx_hash_words(words, 3), before = 0;

	nx_map_get(&p->taken, key, &before);
	nx_map_put(&p->taken, key, now);
	if (now >= before)
		*bytes += now - before;
	else /* clamp: the bytes may have been counted in another memory */
		*bytes -= before - now < *bytes ? before - now : *bytes;
}

const struct nx_hbm_place *nx_hbm_places_add(struct nx_hbm_places *p, uint32_t instance,
					     const struct nx_hbm_sample *sample, unsigned purpose)
{
	struct nx_hbm_place *place = place_of(p, instance, sample);

	assert(purpose < NX_HBM_PURPOSES);
	follow_place(p, sample, ANY_CATEGORY, sample->total_bytes, &place->total_bytes);
	follow_place(p, sample, sample->category, sample->category_bytes, &place->bytes[purpose]);
	return place;
}

void nx_hbm_places_release(struct nx_hbm_places *p)
{
	nx_vec_release(&p->places);
	nx_map_release(&p->index);
	nx_map_release(&p->taken);
}
