/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto_track: descriptors of tracks, and the start of a track's packet sequence. */
#include "base/utf8.h"
#include "format/perfetto/perfetto_internal.h"

enum { ORDER_EXPLICIT = 3 };
enum { CLOCK_BOOTTIME = 6, CLOCK_OF_SEQUENCE = 64 };

void nx_perfetto_put_text(struct nx_bytes *b, enum field number, struct nx_slice text)
{
	put_bytes(b, number, text.data, text.len);
	nx_utf8_repair(b->items + (b->len - text.len), text.len);
}

/* --- tracks ---------------------------------------------------------------- */

static uint32_t add_track(struct nx_perfetto *p, struct track track, const char *name)
{
	track.name = nx_arena_copy_text(&p->arena, name);
	nx_vec_push(&p->tracks, track);
	return (uint32_t)(p->tracks.len - 1);
}

uint32_t nx_perfetto_process(struct nx_perfetto *p, uint64_t pid, const char *name)
{
	return add_track(
		p,
		(struct track){.kind = TRACK_KIND_PROCESS, .parent = NX_PERFETTO_ROOT, .pid = pid},
		name);
}

uint32_t nx_perfetto_thread(struct nx_perfetto *p, uint32_t process, uint64_t tid, const char *name,
			    uint32_t rank)
{
	assert(process < p->tracks.len && p->tracks.items[process].kind == TRACK_KIND_PROCESS);
	return add_track(p,
			 (struct track){.kind = TRACK_KIND_THREAD,
					.parent = process,
					.pid = p->tracks.items[process].pid,
					.tid = tid,
					.rank = rank},
			 name);
}

uint32_t nx_perfetto_track(struct nx_perfetto *p, uint32_t parent, const char *name, uint32_t rank)
{
	return add_track(
		p, (struct track){.kind = TRACK_KIND_PLAIN, .parent = parent, .rank = rank}, name);
}

uint32_t nx_perfetto_counter(struct nx_perfetto *p, uint32_t parent, const char *name,
			     enum nx_perfetto_unit unit, const char *unit_name, uint32_t rank)
{
	return add_track(p,
			 (struct track){.kind = TRACK_KIND_COUNTER,
					.parent = parent,
					.rank = rank,
					.unit = unit,
					.unit_name =
						unit_name ? nx_arena_copy_text(&p->arena, unit_name)
							  : NULL},
			 name);
}

static void put_descriptor(struct nx_perfetto *p, struct nx_bytes *b, uint32_t track)
{
	static const uint8_t units[] = {[NX_UNIT_NS] = 1, [NX_UNIT_COUNT] = 2, [NX_UNIT_BYTES] = 3};
	const struct track *t = &p->tracks.items[track];
	struct nx_slice name = nx_slice_text(t->name);
	struct nx_bytes *nested = &p->nested;

	put_u64(b, TRACK_UUID, sequence_of(p, track));
	if (t->parent != NX_PERFETTO_ROOT)
		put_u64(b, TRACK_PARENT, sequence_of(p, t->parent));
	if (t->kind == TRACK_KIND_PLAIN || t->kind == TRACK_KIND_COUNTER)
		nx_perfetto_put_text(b, TRACK_NAME, name);
	nx_vec_clear(nested);
	if (t->kind == TRACK_KIND_PROCESS) {
		put_u64(nested, (enum field)1, t->pid);
		nx_perfetto_put_text(nested, (enum field)6, name);
		put_message(b, TRACK_PROCESS, nested);
	} else if (t->kind == TRACK_KIND_THREAD) {
		put_u64(nested, (enum field)1, t->pid);
		put_u64(nested, (enum field)2, t->tid);
		nx_perfetto_put_text(nested, (enum field)5, name);
		put_message(b, TRACK_THREAD, nested);
	} else if (t->kind == TRACK_KIND_COUNTER) {
		if (t->unit != NX_UNIT_NONE)
			put_u64(nested, (enum field)3, units[t->unit]);
		if (t->unit_name)
			nx_perfetto_put_text(nested, (enum field)6, nx_slice_text(t->unit_name));
		put_message(b, TRACK_COUNTER, nested);
	}
	put_u64(b, TRACK_CHILD_ORDER, ORDER_EXPLICIT);
	put_u64(b, TRACK_RANK, t->rank);
}

/* All sequences count from 0 of the trace's clock: readers refuse a snapshot that is earlier than
 * the one before. */
static void put_clocks(struct nx_perfetto *p, struct nx_bytes *b)
{
	nx_vec_clear(&p->nested);
	put_u64(&p->nested, (enum field)1, CLOCK_BOOTTIME);
	put_u64(&p->nested, (enum field)2, 0);
	put_message(b, (enum field)1, &p->nested);
	nx_vec_clear(&p->nested);
	put_u64(&p->nested, (enum field)1, CLOCK_OF_SEQUENCE);
	put_u64(&p->nested, (enum field)2, 0);
	put_u64(&p->nested, (enum field)3, 1); /* incremental */
	put_message(b, (enum field)1, &p->nested);
}

void nx_perfetto_open_track(struct nx_perfetto *p, uint32_t track, uint64_t time_ns)
{
	struct track *t = &p->tracks.items[track];
	struct nx_bytes *packet = &p->event;

	assert(track < p->tracks.len);
	if (t->is_open)
		return;
	t->is_open = true;
	if (t->parent != NX_PERFETTO_ROOT)
		nx_perfetto_open_track(p, t->parent, time_ns);
	nx_vec_clear(packet);
	put_u64(packet, PACKET_TIMESTAMP, time_ns);
	put_u64(packet, PACKET_CLOCK, CLOCK_BOOTTIME);
	put_u64(packet, PACKET_SEQUENCE, sequence_of(p, track));
	put_u64(packet, PACKET_FLAGS, STATE_CLEARED);
	nx_vec_clear(&p->nested);
	put_u64(&p->nested, EVENT_TRACK, sequence_of(p, track));
	nx_vec_clear(&p->part);
	put_message(&p->part, PACKET_EVENT, &p->nested);
	put_u64(&p->part, PACKET_CLOCK, CLOCK_OF_SEQUENCE);
	put_message(packet, PACKET_DEFAULTS, &p->part);
	nx_vec_clear(&p->part);
	put_descriptor(p, &p->part, track);
	put_message(packet, PACKET_DESCRIPTOR, &p->part);
	put_message(&p->bundle, TRACE_PACKET, packet);
	nx_vec_clear(packet);
	nx_vec_clear(&p->part);
	put_clocks(p, &p->part);
	put_u64(packet, PACKET_SEQUENCE, sequence_of(p, track));
	put_u64(packet, PACKET_FLAGS, NEEDS_STATE);
	put_message(packet, PACKET_CLOCK_SNAPSHOT, &p->part);
	put_message(&p->bundle, TRACE_PACKET, packet);
}
