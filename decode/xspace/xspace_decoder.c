/* SPDX-License-Identifier: Apache-2.0 */
/* The events, line by line. */
#include "decode/xspace/xspace_decoder.h"

#include <assert.h>

#include "decode/xspace/xspace_internal.h"

#define PS_PER_NS 1000

struct line_read {
	struct nx_xspace_decoder *d;
	const struct nx_xspace_plane *plane;
	size_t plane_idx;
	const struct nx_xspace_thread *thread;
	uint64_t base_ns;
	nx_xspace_fn fn;
	nx_xspace_sample_fn sample_fn; /* set: only samples are wanted */
	void *context;
};

static int64_t floor_ns(int64_t ps)
{
	return ps / PS_PER_NS - (ps % PS_PER_NS < 0);
}

/* False if the sum is negative or does not fit. */
static bool add_ns(uint64_t base_ns, int64_t ns, uint64_t *sum)
{
	if (ns < 0)
		return !__builtin_sub_overflow(base_ns, (uint64_t)-ns, sum);
	return !__builtin_add_overflow(base_ns, (uint64_t)ns, sum);
}

/* Rounding down start and end keeps events nested. */
static bool set_times(struct line_read *r, const struct nx_xevent *event,
		      struct nx_system_event *row)
{
	int64_t duration_ps = event->duration_ps, end_ps;

	if (event->is_aggregated) {
		row->start_ns = row->end_ns = r->base_ns;
		r->d->loss.aggregated_count++;
		return true;
	}
	if (duration_ps < 0) {
		r->d->loss.backwards_count++;
		duration_ps = 0;
	}
	return !__builtin_add_overflow(event->offset_ps, duration_ps, &end_ps) &&
	       event->offset_ps != INT64_MIN &&
	       add_ns(r->base_ns, floor_ns(event->offset_ps), &row->start_ns) &&
	       add_ns(r->base_ns, floor_ns(end_ps), &row->end_ns);
}

/* The stats of an event that its row is made of. */
struct known_stats {
	uint64_t values[NX_XSPACE_KNOWN_STATS];
	bool has[NX_XSPACE_KNOWN_STATS];
};

/* Most stats are only attributes; their values are not read here. */
static bool may_be_known(const struct nx_xspace_plane *plane, int64_t id)
{
	return id < 0 || id >= NX_XSPACE_SMALL_IDS || plane->small_known_ids >> id & 1;
}

static void read_known(const struct line_read *r, struct nx_slice stats, struct known_stats *s)
{
	const int64_t *known = r->plane->known_stats;
	struct nx_wire_reader reader = nx_wire_reader_of(stats);
	struct nx_slice message;
	struct nx_xstat stat;

	while (nx_xevent_next_stat_bytes(&reader, &message)) {
		if (!may_be_known(r->plane, nx_xstat_peek(message)))
			continue;
		nx_xstat_read(message, &stat);
		for (unsigned i = 0; i < NX_XSPACE_KNOWN_STATS; i++)
			if (known[i] && known[i] == stat.metadata_id &&
			    (stat.kind == NX_XSTAT_U64 || stat.kind == NX_XSTAT_I64)) {
				s->values[i] = stat.integer;
				s->has[i] = true;
			}
	}
}

/* An event has one flow here: the explicit one, else what it starts, else what it ends. */
static uint64_t flow_of(const struct known_stats *stats)
{
	const uint64_t *values = stats->values;
	const bool *has = stats->has;
	uint64_t words[3];

	if (has[NX_XSPACE_FLOW]) {
		words[0] = NX_XSPACE_FLOW;
		words[1] = 0;
		words[2] = nx_xflow_id(values[NX_XSPACE_FLOW]);
	} else if (has[NX_XSPACE_PRODUCER] || has[NX_XSPACE_CONSUMER]) {
		bool is_producer = has[NX_XSPACE_PRODUCER];

		words[0] = NX_XSPACE_PRODUCER;
		words[1] = values[is_producer ? NX_XSPACE_PRODUCER_TYPE : NX_XSPACE_CONSUMER_TYPE];
		words[2] = values[is_producer ? NX_XSPACE_PRODUCER : NX_XSPACE_CONSUMER];
	} else if (has[NX_XSPACE_CORRELATION] && values[NX_XSPACE_CORRELATION]) {
		words[0] = NX_XSPACE_CORRELATION;
		words[1] = 0;
		words[2] = values[NX_XSPACE_CORRELATION];
	} else {
		return 0;
	}
	/* never 0, and the top bits stay free for the process */
	return nx_hash_words(words, 3) >> 16 | 1;
}

/* JAX's StepTraceAnnotation. Lines of devices repeat the steps of the host. */
static void set_step(const struct line_read *r, const struct known_stats *stats,
		     struct nx_system_event *row)
{
	if (!stats->has[NX_XSPACE_STEP_NUM] || r->plane->kind != NX_XSPACE_HOST_PLANE ||
	    r->thread->is_derived || row->flags & NX_EVENT_INSTANT)
		return;
	row->flags |= NX_EVENT_STEP;
	row->step_num = stats->values[NX_XSPACE_STEP_NUM];
}

static uint8_t source_of(enum nx_xspace_plane_kind kind)
{
	switch (kind) {
	case NX_XSPACE_RUNTIME_PLANE:
		return NX_SOURCE_RUNTIME;
	case NX_XSPACE_CORE_PLANE:
		return NX_SOURCE_HARDWARE;
	default:
		return NX_SOURCE_FRAMEWORK;
	}
}

static bool set_name(const struct line_read *r, int64_t metadata_id, struct nx_xspace_event *out)
{
	uint64_t at;

	out->name_idx = UINT32_MAX;
	if (!nx_map_get(&r->plane->events, (uint64_t)metadata_id, &at))
		return false;
	out->name_idx = (uint32_t)at;
	out->name = r->d->names.items[at].display_name;
	if (!out->name.len)
		out->name = r->d->names.items[at].name;
	return out->name.len > 0;
}

/* False if the event of a line of counters has no number: it stays an event. */
static bool read_value(const struct line_read *r, const struct nx_xevent *event, double *value)
{
	int64_t wanted = r->plane->known_stats[NX_XSPACE_COUNTER_VALUE];
	struct nx_wire_reader reader = nx_wire_reader_of(event->stats);
	struct nx_xstat stat;

	while (wanted && nx_xevent_next_stat(&reader, &stat)) {
		if (stat.metadata_id != wanted)
			continue;
		*value = stat.kind == NX_XSTAT_F64   ? stat.f64
			 : stat.kind == NX_XSTAT_U64 ? (double)stat.integer
						     : (double)(int64_t)stat.integer;
		return stat.kind == NX_XSTAT_F64 || stat.kind == NX_XSTAT_U64 ||
		       stat.kind == NX_XSTAT_I64;
	}
	return false;
}

/* True if the event was a sample. */
static bool read_sample(struct line_read *r, const struct nx_xspace_event *event,
			const struct nx_xevent *read)
{
	struct nx_xspace_sample sample = {.time_ns = event->row.start_ns, .name = event->name};

	if (!r->thread->is_counters || !read_value(r, read, &sample.value))
		return false;
	if (r->sample_fn)
		r->sample_fn(r->context, &sample);
	else
		r->d->sample_count++;
	return true;
}

static void read_event(struct line_read *r, struct nx_slice message)
{
	struct nx_xspace_decoder *d = r->d;
	struct nx_xspace_event out;
	struct nx_xevent event;
	char number[NX_NUMBER_MAX + 8] = "event ";

	d->loss.event_count++;
	out = (struct nx_xspace_event){.row = {.thread_id = r->thread->id,
					       .nc_idx = r->plane->core,
					       .worker_gid = UINT32_MAX,
					       .stream_id = UINT32_MAX,
					       .source = source_of(r->plane->kind),
					       .type = NX_FRAMEWORK_EVENT_TYPE}};
	if (!nx_xevent_read(message, &event) || !set_times(r, &event, &out.row)) {
		d->loss.malformed_count++;
		return;
	}
	if (!event.duration_ps || event.is_aggregated)
		out.row.flags = NX_EVENT_INSTANT;
	if (!set_name(r, event.metadata_id, &out)) {
		size_t len = strlen(number);

		d->loss.unnamed_count++;
		len += nx_format_i64(number + len, event.metadata_id);
		out.name = nx_slice_of(number, len);
	}
	if (read_sample(r, &out, &event) || r->sample_fn)
		return;
	if (event.stats.len && r->plane->has_known_stats) {
		struct known_stats stats = {0};

		read_known(r, event.stats, &stats);
		out.row.flow_id = flow_of(&stats);
		set_step(r, &stats, &out.row);
	}
	if (message.len <= NX_XSPACE_HANDLE_LEN) {
		out.row.handle.words[0] = (uint64_t)(message.data - d->file.data);
		out.row.handle.words[1] =
			(uint64_t)r->plane_idx << NX_XSPACE_HANDLE_PLANE | message.len;
		if (r->thread->is_derived)
			out.row.handle.words[1] |= NX_XSPACE_HANDLE_DERIVED;
	}
	r->fn(r->context, &out);
}

/* In a saved file times count from the session's start; a plugin's may be absolute. */
static bool set_base(struct line_read *r, int64_t timestamp_ns)
{
	uint64_t start_ns = r->d->start_ns;

	r->base_ns = start_ns;
	if (timestamp_ns >= 0 && (uint64_t)timestamp_ns >= start_ns)
		r->base_ns = 0;
	return add_ns(r->base_ns, timestamp_ns == INT64_MIN ? 0 : timestamp_ns, &r->base_ns);
}

static void read_line(struct line_read *r, struct nx_slice bytes, bool is_cut)
{
	struct nx_xspace_walk walk = nx_xspace_walk_of(bytes, is_cut);
	struct nx_xspace_line line;
	struct nx_wire_value value;

	nx_xspace_read_line(bytes, is_cut, &line);
	r->thread = nx_xspace_thread_of(r->d, r->plane_idx, &line);
	if (r->sample_fn && !r->thread->is_counters)
		return;
	if (!set_base(r, line.timestamp_ns))
		r->base_ns = r->d->start_ns;
	while (nx_xspace_walk_next(&walk, &value))
		if (value.number == NX_XLINE_EVENTS && value.wire_type == NX_XSPACE_DELIMITED &&
		    !walk.is_cut)
			read_event(r, value.bytes);
	nx_xspace_note_end(r->d, &walk);
}

static void read_lines(struct line_read *r)
{
	struct nx_xspace_decoder *d = r->d;
	struct nx_wire_value value;

	for (size_t i = 0; i < d->planes.len; i++) {
		struct nx_xspace_walk walk =
			nx_xspace_walk_of(d->planes.items[i].bytes, d->planes.items[i].is_cut);

		r->plane = &d->planes.items[i];
		r->plane_idx = i;
		while (nx_xspace_walk_next(&walk, &value))
			if (value.number == NX_XPLANE_LINES &&
			    value.wire_type == NX_XSPACE_DELIMITED)
				read_line(r, value.bytes, walk.is_cut);
	}
}

void nx_xspace_decode_counters(struct nx_xspace_decoder *d, nx_xspace_sample_fn fn, void *context)
{
	struct nx_xspace_loss loss = d->loss; /* already counted */
	struct line_read r = {.d = d, .sample_fn = fn, .context = context};

	assert(fn);
	if (d->sample_count)
		read_lines(&r);
	d->loss = loss;
}

void nx_xspace_decode_events(struct nx_xspace_decoder *d, nx_xspace_fn fn, void *context)
{
	struct line_read r = {.d = d, .fn = fn, .context = context};

	assert(fn);
	d->loss.event_count = d->loss.aggregated_count = d->loss.unnamed_count = 0;
	d->loss.malformed_count = d->loss.backwards_count = 0;
	d->sample_count = 0;
	read_lines(&r);
	if (!d->loss.is_cut && !d->loss.is_damaged)
		d->loss.read_bytes = d->file.len;
}
