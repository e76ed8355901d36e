/* SPDX-License-Identifier: Apache-2.0 */
#include "format/perfetto/perfetto.h"

#include "format/perfetto/perfetto_internal.h"

#define LARGEST_EXACT 9007199254740992.0 /* 2^53 */

enum event_type { EVENT_BEGIN = 1, EVENT_END, EVENT_INSTANT, EVENT_COUNT };

static inline unsigned varint_size(uint64_t value)
{
	return (70 - (unsigned)__builtin_clzll(value | 1)) / 7;
}

/* --- events ---------------------------------------------------------------- */

static void begin_event(struct nx_perfetto *p, uint32_t track, uint64_t time_ns,
			enum event_type type)
{
	assert(track < p->tracks.len);
	nx_perfetto_open_track(p, track, time_ns);
	nx_vec_clear(&p->event);
	nx_vec_clear(&p->interned);
	put_u64(&p->event, EVENT_TYPE, type);
}

/* Writes the event as one packet. A time before the last one becomes the last one. */
static void end_event(struct nx_perfetto *p, uint32_t track, uint64_t time_ns)
{
	struct track *t = &p->tracks.items[track];
	uint64_t delta_ns = time_ns > t->last_ns ? time_ns - t->last_ns : 0;
	uint64_t sequence = sequence_of(p, track);
	size_t len = 5 + varint_size(delta_ns) + varint_size(sequence) + varint_size(p->event.len) +
		     p->event.len;

	t->last_ns += delta_ns;
	if (p->interned.len)
		len += 1 + varint_size(p->interned.len) + p->interned.len;
	put_varint(&p->bundle, TRACE_PACKET << 3 | 2);
	put_varint(&p->bundle, len);
	put_u64(&p->bundle, PACKET_TIMESTAMP, delta_ns);
	put_u64(&p->bundle, PACKET_SEQUENCE, sequence);
	put_u64(&p->bundle, PACKET_FLAGS, NEEDS_STATE);
	if (p->interned.len)
		put_message(&p->bundle, PACKET_INTERNED, &p->interned);
	put_message(&p->bundle, PACKET_EVENT, &p->event);
	if (p->bundle.len >= NX_PERFETTO_BUNDLE_BYTES)
		nx_perfetto_flush(p);
}

static const struct {
	enum field table, by_iid, in_place;
} interned_fields[NX_SPACE_COUNT] = {
	[NX_SPACE_EVENT_NAME] = {(enum field)2, EVENT_NAME_IID, EVENT_NAME},
	[NX_SPACE_ARG_NAME] = {(enum field)3, ARG_NAME_IID, ARG_NAME},
	[NX_SPACE_ARG_TEXT] = {(enum field)29, ARG_TEXT_IID, ARG_TEXT},
};

static void put_new_text(struct nx_perfetto *p, enum nx_perfetto_space space, uint64_t iid,
			 struct nx_slice text)
{
	assert(iid);
	nx_vec_clear(&p->nested);
	put_u64(&p->nested, (enum field)1, iid);
	nx_perfetto_put_text(&p->nested, (enum field)2, text);
	put_message(&p->interned, interned_fields[space].table, &p->nested);
}

/* Writes a text as its number in the track's sequence, or in place if there are too many. */
static void put_text(struct nx_perfetto *p, uint32_t track, struct nx_slice text)
{
	bool is_new;
	uint64_t iid = nx_perfetto_intern(&p->texts, &p->tracks.items[track].iids,
					  NX_SPACE_ARG_TEXT, text, &is_new);

	if (iid)
		put_u64(&p->part, ARG_TEXT_IID, iid);
	else
		nx_perfetto_put_text(&p->part, ARG_TEXT, text);
	if (is_new)
		put_new_text(p, NX_SPACE_ARG_TEXT, iid, text);
}

static void put_name(struct nx_perfetto *p, struct nx_bytes *b, uint32_t track,
		     enum nx_perfetto_space space, const char *name)
{
	bool is_new;
	uint64_t iid = nx_perfetto_intern_name(&p->texts, &p->tracks.items[track].iids, space, name,
					       &is_new);

	if (iid)
		put_u64(b, interned_fields[space].by_iid, iid);
	else
		nx_perfetto_put_text(b, interned_fields[space].in_place, nx_slice_text(name));
	if (is_new)
		put_new_text(p, space, iid, nx_slice_text(name));
}

static void put_arg(struct nx_perfetto *p, uint32_t track, const struct nx_perfetto_arg *arg)
{
	struct nx_bytes *b = &p->part;

	nx_vec_clear(b);
	put_name(p, b, track, NX_SPACE_ARG_NAME, arg->name);
	switch (arg->kind) {
	case NX_PERFETTO_TEXT:
		if (arg->is_unique)
			nx_perfetto_put_text(b, ARG_TEXT, arg->text);
		else
			put_text(p, track, arg->text);
		break;
	case NX_PERFETTO_U64:
		put_u64(b, ARG_U64, arg->u64);
		break;
	case NX_PERFETTO_I64:
		put_u64(b, ARG_I64, arg->u64);
		break;
	case NX_PERFETTO_F64:
		put_f64(b, ARG_F64, arg->f64);
		break;
	case NX_PERFETTO_BOOL:
		put_u64(b, ARG_BOOL, arg->u64 != 0);
		break;
	}
	put_message(&p->event, EVENT_ARGS, b);
}

static void put_name_and_args(struct nx_perfetto *p, uint32_t track, const char *name,
			      const struct nx_perfetto_arg *args, size_t arg_count)
{
	put_name(p, &p->event, track, NX_SPACE_EVENT_NAME, name);
	for (size_t i = 0; i < arg_count; i++)
		put_arg(p, track, &args[i]);
}

void nx_perfetto_begin(struct nx_perfetto *p, uint32_t track, uint64_t time_ns, const char *name,
		       const struct nx_perfetto_arg *args, size_t arg_count,
		       const struct nx_perfetto_flows *flows)
{
	begin_event(p, track, time_ns, EVENT_BEGIN);
	put_name_and_args(p, track, name, args, arg_count);
	for (size_t i = 0; flows && i < flows->out_count; i++)
		put_fixed64(&p->event, EVENT_FLOWS, flows->out_ids[i]);
	for (size_t i = 0; flows && i < flows->in_count; i++)
		put_fixed64(&p->event, EVENT_LAST_FLOWS, flows->in_ids[i]);
	end_event(p, track, time_ns);
	p->tracks.items[track].depth++;
}

void nx_perfetto_end(struct nx_perfetto *p, uint32_t track, uint64_t time_ns)
{
	assert(track < p->tracks.len);
	if (!p->tracks.items[track].depth)
		return;
	p->tracks.items[track].depth--;
	begin_event(p, track, time_ns, EVENT_END);
	end_event(p, track, time_ns);
}

void nx_perfetto_instant(struct nx_perfetto *p, uint32_t track, uint64_t time_ns, const char *name,
			 const struct nx_perfetto_arg *args, size_t arg_count)
{
	begin_event(p, track, time_ns, EVENT_INSTANT);
	put_name_and_args(p, track, name, args, arg_count);
	end_event(p, track, time_ns);
}

void nx_perfetto_count(struct nx_perfetto *p, uint32_t track, uint64_t time_ns, double value)
{
	begin_event(p, track, time_ns, EVENT_COUNT);
	if (value > -LARGEST_EXACT && value < LARGEST_EXACT && value == (double)(int64_t)value)
		put_u64(&p->event, EVENT_COUNTER, (uint64_t)(int64_t)value);
	else
		put_f64(&p->event, EVENT_COUNTER_F64, value);
	end_event(p, track, time_ns);
}

/* --- life ------------------------------------------------------------------ */

static void write_output(void *context, const void *data, size_t len)
{
	nx_output_write(context, data, len);
}

static struct nx_perfetto *new_writer(const struct nx_perfetto_shard *shard)
{
	struct nx_perfetto *p = nx_heap_alloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	assert(shard->index < shard->count && shard->write);
	p->shard = *shard;
	return p;
}

struct nx_perfetto *nx_perfetto_new(struct nx_output *out, bool compress)
{
	struct nx_perfetto *p = new_writer(
		&(struct nx_perfetto_shard){.count = 1, .write = write_output, .context = out});

	if (compress)
		nx_perfetto_compress(p, true);
	return p;
}

struct nx_perfetto *nx_perfetto_new_shard(const struct nx_perfetto_shard *shard, bool compress)
{
	struct nx_perfetto *p = new_writer(shard);

	if (compress)
		nx_perfetto_compress(p, false);
	return p;
}

uint64_t nx_perfetto_new_number(struct nx_perfetto *p)
{
	return p->last_number++ * p->shard.count + p->shard.index + 1;
}

void nx_perfetto_finish(struct nx_perfetto *p)
{
	nx_perfetto_flush(p);
	nx_perfetto_finish_bundles(p);
	for (size_t i = 0; i < p->tracks.len; i++)
		nx_perfetto_iids_release(&p->tracks.items[i].iids);
	nx_vec_release(&p->tracks);
	nx_vec_release(&p->bundle);
	nx_vec_release(&p->event);
	nx_vec_release(&p->interned);
	nx_vec_release(&p->part);
	nx_vec_release(&p->nested);
	nx_perfetto_texts_release(&p->texts);
	nx_arena_release(&p->arena);
	nx_heap_free(p);
}
