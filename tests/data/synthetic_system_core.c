/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_system_core.h"

#define FLUSH_BYTES ((size_t)1 << 20)
#define SEQUENCE_BITS 50

/* --- records --------------------------------------------------------------------- */

static void add_text(struct nx_core_attributes *a, const char *key, struct nx_slice value)
{
	a->items[a->count++] = (struct nx_ntrace_attribute){nx_slice_text(key), value};
}

void nx_core_add(struct nx_core_attributes *a, const char *key, uint64_t value)
{
	char *text = a->texts[a->count];

	add_text(a, key, nx_slice_of(text, nx_format_u64(text, value)));
}

static void add_address(struct nx_core_attributes *a, const char *key, uint64_t value)
{
	char *text = a->texts[a->count];

	memcpy(text, "0x", 2);
	add_text(a, key, nx_slice_of(text, 2 + nx_format_hex(text + 2, value)));
}

void nx_core_flush(struct nx_core *c)
{
	const struct nx_synthetic_events *e = c->events;

	if (!c->is_stopped && c->buffer.len)
		c->is_stopped = !e->sink(e->context, c->buffer.items, c->buffer.len);
	nx_vec_clear(&c->buffer);
}

void nx_core_put(struct nx_core *c, const struct nx_core_call *call, enum nx_ntrace_phase phase,
		 uint64_t time_ns, struct nx_core_attributes *a)
{
	struct nx_ntrace_event event = {
		.timestamp_ns = time_ns,
		.event_type = call->type,
		.thread_id = call->thread,
		.id = (uint64_t)c->index << SEQUENCE_BITS | ++c->sequence,
		.phase = phase,
		.tracking_id = call->tracking_id,
	};

	nx_core_add(a, "nc_idx", c->index);
	nx_core_add(a, "worker_gid", c->events->process->first_worker + c->index);
	event.attributes.items = a->items;
	event.attributes.count = a->count;
	nx_ntrace_append(&c->buffer, &nx_ntrace_event_message, &event);
	c->events->counts->record_count++;
	if (c->buffer.len >= FLUSH_BYTES)
		nx_core_flush(c);
}

/* Time passes between two records of a core. */
uint64_t nx_core_tick(struct nx_core *c)
{
	c->now_ns += 500 + nx_synthetic_random(&c->random) % 4000;
	return c->now_ns;
}

struct nx_core_call nx_core_open(struct nx_core *c, enum nx_core_type type, uint64_t thread)
{
	return (struct nx_core_call){type, thread,
				     (uint64_t)c->index << SEQUENCE_BITS | (c->sequence + 1)};
}

struct nx_core_call nx_core_begin(struct nx_core *c, enum nx_core_type type, uint64_t thread,
				  struct nx_core_attributes *a)
{
	struct nx_core_call call = nx_core_open(c, type, thread);

	nx_core_put(c, &call, NX_PHASE_START, nx_core_tick(c), a);
	return call;
}

void nx_core_count_pair(struct nx_core *c, enum nx_core_type type)
{
	c->events->counts->pair_count++;
	c->events->counts->type_counts[type]++;
}

static void end_with(struct nx_core *c, const struct nx_core_call *call,
		     struct nx_core_attributes *a)
{
	nx_core_put(c, call, NX_PHASE_STOP, nx_core_tick(c), a);
	nx_core_count_pair(c, call->type);
}

void nx_core_end(struct nx_core *c, const struct nx_core_call *call)
{
	struct nx_core_attributes none = {0};

	end_with(c, call, &none);
}

/* --- memory ------------------------------------------------------------------------ */

/* Logical order is not physical order. */
uint64_t nx_core_hbm(const struct nx_core *c)
{
	static const uint8_t order[] = {2, 3, 1, 0};

	return order[c->index % 4];
}

static void add_place(const struct nx_core *c, struct nx_core_attributes *a,
		      enum nx_core_category category)
{
	nx_core_add(a, "hbm_idx", nx_core_hbm(c));
	nx_core_add(a, "is_nc_hbm", 1);
	nx_core_add(a, "mla_idx", c->index / 4);
	add_text(a, "usage_type", nx_slice_text(nx_ntrace_category_name(category)));
}

static void add_totals(const struct nx_core *c, struct nx_core_attributes *a, unsigned physical,
		       enum nx_core_category category)
{
	nx_core_add(a, "total_bytes", c->total_bytes[physical]);
	nx_core_add(a, "usage_type_total_bytes", c->category_bytes[physical][category]);
}

uint64_t nx_core_allocate(struct nx_core *c, uint64_t thread, unsigned physical,
			  enum nx_core_category category, uint64_t size)
{
	uint64_t hbm = nx_core_hbm(c);
	uint64_t address = (hbm >> 1) << 47 | (hbm & 1) << 38 | c->next_address;
	struct nx_core_attributes a = {0};
	struct nx_core_call call;

	add_place(c, &a, category);
	nx_core_add(&a, "is_aligned", category == CATEGORY_WEIGHT);
	call = nx_core_begin(c, NRT_DMA_MEM_ALLOC, thread, &a);
	c->total_bytes[physical] += size;
	c->category_bytes[physical][category] += size;
	c->next_address = (c->next_address + size) & ((UINT64_C(1) << 34) - 1);
	a.count = 0;
	nx_core_add(&a, "allocated_bytes", size);
	add_totals(c, &a, physical, category);
	add_address(&a, "physical_address", address);
	nx_core_add(&a, "return_code", 0);
	end_with(c, &call, &a);
	return address;
}

void nx_core_deallocate(struct nx_core *c, uint64_t thread, unsigned physical,
			enum nx_core_category category, uint64_t size, uint64_t address)
{
	struct nx_core_attributes a = {0};
	struct nx_core_call call;

	add_place(c, &a, category);
	add_address(&a, "physical_address", address);
	call = nx_core_begin(c, NRT_DMA_MEM_DEALLOC, thread, &a);
	c->total_bytes[physical] -= size;
	c->category_bytes[physical][category] -= size;
	a.count = 0;
	nx_core_add(&a, "freed_bytes", size);
	add_totals(c, &a, physical, category);
	end_with(c, &call, &a);
}

void nx_core_copy(struct nx_core *c, enum nx_core_type type, uint64_t thread, unsigned mem_type,
		  uint64_t size)
{
	struct nx_core_attributes a = {0};
	struct nx_core_call call;

	nx_core_add(&a, "mem_type", mem_type);
	nx_core_add(&a, "mem_handle", c->next_address | 1);
	nx_core_add(&a, "offset", 0);
	nx_core_add(&a, "size", size);
	call = nx_core_begin(c, type, thread, &a);
	nx_core_end(c, &call);
}
