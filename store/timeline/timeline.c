/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/map.h"
#include "store/timeline/timeline_internal.h"
#include <stddef.h>
#include <sys/mman.h>

/* Starts have all nodes, and levels up to the first that a single node would cover. */
static uint64_t start_nodes(uint64_t chunks, unsigned level)
{
	uint64_t nodes = chunks;

	while (level--) {
		if (nodes <= NX_FANOUT)
			return 0;
		nodes = (nodes + NX_FANOUT - 1) / NX_FANOUT;
	}
	return nodes;
}

uint64_t nx_column_values(enum nx_track_kind kind, uint64_t row_count,
			  enum nx_timeline_column column, unsigned level)
{
	uint64_t chunks = (row_count + NX_CHUNK_ROWS - 1) / NX_CHUNK_ROWS;
	bool is_spans = kind == NX_TRACK_SPANS;

	if (level >= NX_MAX_LEVELS || !row_count)
		return 0;
	switch (column) {
	case NX_COLUMN_START:
		return start_nodes(chunks, level);
	case NX_COLUMN_AT:
		return level ? 0 : chunks;
	case NX_COLUMN_BUSY:
	case NX_COLUMN_CALLER:
		return level || !is_spans ? 0 : chunks;
	case NX_COLUMN_LONGEST:
		return is_spans ? row_count / NX_CHUNK_ROWS >> level * NX_FANOUT_BITS : 0;
	case NX_COLUMN_NAME_AT:
		return is_spans ? row_count / NX_CHUNK_ROWS >> level * NX_NAME_FANOUT_BITS : 0;
	case NX_COLUMN_LOWEST:
	case NX_COLUMN_HIGHEST:
	case NX_COLUMN_MEAN:
		/* The mean of a node ends with the sample after it. */
		return is_spans ? 0 : (row_count - 1) / NX_CHUNK_ROWS >> level * NX_FANOUT_BITS;
	case NX_COLUMN_NAME_LIST:
	case NX_COLUMN_COUNT:
		break;
	}
	return 0;
}

uint64_t nx_index_bytes(enum nx_track_kind kind, uint64_t row_count, uint64_t name_values)
{
	uint64_t values = name_values, more;

	for (enum nx_timeline_column column = 0; column < NX_COLUMN_COUNT; column++) {
		for (unsigned level = 0;
		     (more = nx_column_values(kind, row_count, column, level)) != 0; level++)
			values += more;
	}
	return values * sizeof(uint64_t);
}

uint64_t nx_timeline_checksum(struct nx_slice directory, const struct nx_timeline_footer *footer)
{
	uint64_t hash = nx_fnv1a(NX_FNV_SEED, directory.data, directory.len);

	return nx_fnv1a(hash, footer, offsetof(struct nx_timeline_footer, checksum));
}

static enum nx_status fail_damaged(struct nx_error *err)
{
	return nx_fail(err, NX_FORMAT, "the timeline is damaged; make it again from its capture");
}

static enum nx_status check_header(struct nx_slice bytes, struct nx_error *err)
{
	struct nx_timeline_header header;

	if (bytes.len < sizeof(header))
		return nx_fail(err, NX_FORMAT, "not a timeline, it is too short");
	memcpy(&header, bytes.data, sizeof(header));
	if (memcmp(header.magic, NX_TIMELINE_MAGIC, sizeof(header.magic)) != 0)
		return nx_fail(err, NX_FORMAT, "not a timeline");
	if (header.version != NX_TIMELINE_VERSION || header.chunk_rows != NX_CHUNK_ROWS)
		return nx_fail(err, NX_VERSION,
			       "a timeline of version %u, this program reads %u; make it again "
			       "from its capture",
			       header.version, NX_TIMELINE_VERSION);
	return NX_OK;
}

static enum nx_status read_footer(struct nx_timeline *t, struct nx_error *err)
{
	struct nx_timeline_footer *footer = &t->footer;
	uint64_t body_bytes, expected_bytes;

	if (t->bytes.len < sizeof(struct nx_timeline_header) + sizeof(*footer))
		return nx_fail(err, NX_FORMAT, "the timeline is cut short; make it again");
	body_bytes = t->bytes.len - sizeof(*footer);
	memcpy(footer, t->bytes.data + body_bytes, sizeof(*footer));
	if (memcmp(footer->magic, NX_TIMELINE_END_MAGIC, sizeof(footer->magic)) != 0 ||
	    footer->version != NX_TIMELINE_VERSION)
		return nx_fail(err, NX_FORMAT, "the timeline is cut short; make it again");
	expected_bytes = footer->track_count * (uint64_t)sizeof(struct nx_track_record) +
			 footer->strip_count * (uint64_t)sizeof(struct nx_strip_record) +
			 footer->attribute_count * (uint64_t)sizeof(struct nx_attribute_record) +
			 footer->name_count * (uint64_t)sizeof(uint64_t) + footer->text_bytes;
	if (footer->directory_at % 8 || footer->text_bytes % 8 || footer->text_bytes > body_bytes ||
	    footer->directory_at > body_bytes ||
	    footer->directory_bytes != body_bytes - footer->directory_at ||
	    footer->directory_bytes != expected_bytes)
		return fail_damaged(err);
	if (nx_timeline_checksum(nx_slice_part(t->bytes, footer->directory_at,
					       footer->directory_bytes),
				 footer) != footer->checksum)
		return fail_damaged(err);
	return NX_OK;
}

static void find_tables(struct nx_timeline *t)
{
	const uint8_t *at = t->bytes.data + t->footer.directory_at;

	t->tracks = (const void *)at;
	at += t->footer.track_count * sizeof(*t->tracks);
	t->strips = (const void *)at;
	at += t->footer.strip_count * sizeof(*t->strips);
	t->attribute_records = (const void *)at;
	at += t->footer.attribute_count * sizeof(*t->attribute_records);
	t->name_ends = (const void *)at;
	at += t->footer.name_count * sizeof(*t->name_ends);
	t->texts = nx_slice_of(at, t->footer.text_bytes);
}

static bool are_names_good(const struct nx_timeline *t)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < t->footer.name_count; i++) {
		if (t->name_ends[i] < before || t->name_ends[i] > t->texts.len)
			return false;
		before = t->name_ends[i];
	}
	return true;
}

static bool is_strip_good(const struct nx_timeline *t, enum nx_track_kind kind,
			  const struct nx_strip_record *strip)
{
	uint64_t room = t->footer.directory_at;

	/* A chunk has at least sixteen bytes, which bounds the rows. */
	if (!strip->row_count || strip->row_count > NX_MAX_ROWS ||
	    strip->row_count / NX_CHUNK_ROWS > room / 16 || strip->name_values > room / 8 ||
	    (kind != NX_TRACK_SPANS && strip->name_values))
		return false;
	return strip->index_at % 8 == 0 && strip->index_at <= room &&
	       nx_index_bytes(kind, strip->row_count, strip->name_values) <= room - strip->index_at;
}

static bool is_track_good(const struct nx_timeline *t, uint32_t i, uint32_t first_strip)
{
	const struct nx_track_record *track = &t->tracks[i];

	if (track->kind >= NX_TRACK_KIND_COUNT ||
	    (track->parent != NX_TRACK_NONE && track->parent >= i) ||
	    track->name >= t->footer.name_count || track->unit >= t->footer.name_count)
		return false;
	if (track->first_strip != first_strip ||
	    track->depth_count > t->footer.strip_count - first_strip)
		return false;
	if (track->depth_count > (track->kind == NX_TRACK_SPANS	    ? NX_MAX_DEPTHS
				  : track->kind == NX_TRACK_COUNTER ? 1
								    : 0))
		return false;
	for (uint32_t d = 0; d < track->depth_count; d++) {
		if (!is_strip_good(t, track->kind, &t->strips[first_strip + d]))
			return false;
	}
	return true;
}

static bool are_attributes_good(const struct nx_timeline *t)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < t->footer.track_count; i++) {
		if (t->tracks[i].first_attribute != first ||
		    t->tracks[i].attribute_count > t->footer.attribute_count - first)
			return false;
		first += t->tracks[i].attribute_count;
	}
	for (uint32_t i = 0; i < t->footer.attribute_count; i++) {
		if (t->attribute_records[i].key >= t->footer.name_count ||
		    t->attribute_records[i].value >= t->footer.name_count)
			return false;
	}
	return first == t->footer.attribute_count;
}

static enum nx_status check_directory(const struct nx_timeline *t, struct nx_error *err)
{
	uint32_t first_strip = 0;

	if (!are_names_good(t) || !are_attributes_good(t))
		return fail_damaged(err);
	for (uint32_t i = 0; i < t->footer.track_count; i++) {
		if (!is_track_good(t, i, first_strip))
			return fail_damaged(err);
		first_strip += t->tracks[i].depth_count;
	}
	return first_strip == t->footer.strip_count ? NX_OK : fail_damaged(err);
}

static void read_attributes(struct nx_timeline *t)
{
	uint32_t count = t->footer.attribute_count;

	if (!count)
		return;
	t->attributes = nx_heap_alloc(count * sizeof(*t->attributes));
	for (uint32_t i = 0; i < count; i++)
		t->attributes[i] = (struct nx_track_attribute){
			nx_timeline_name(t, t->attribute_records[i].key),
			nx_timeline_name(t, t->attribute_records[i].value)};
}

enum nx_status nx_timeline_open_bytes(struct nx_timeline **timeline, struct nx_slice bytes,
				      struct nx_error *err)
{
	struct nx_timeline *t = nx_heap_alloc(sizeof(*t));
	enum nx_status status;

	*t = (struct nx_timeline){.bytes = bytes};
	status = check_header(bytes, err);
	if (!status)
		status = read_footer(t, err);
	if (!status) {
		find_tables(t);
		status = check_directory(t, err);
	}
	if (status) {
		nx_heap_free(t);
		t = NULL;
	} else {
		read_attributes(t);
	}
	*timeline = t;
	return status;
}

enum nx_status nx_timeline_open(struct nx_timeline **timeline, const char *path,
				struct nx_error *err)
{
	struct nx_file file;
	enum nx_status status;

	*timeline = NULL;
	status = nx_file_map(&file, path, err);
	if (status)
		return status;
	/* Access is random; read-ahead would bring in the whole file. */
	if (file.bytes.len)
		madvise((void *)(uintptr_t)file.bytes.data, file.bytes.len, MADV_RANDOM);
	status = nx_timeline_open_bytes(timeline, file.bytes, err);
	if (status) {
		nx_file_unmap(&file);
		return nx_context(err, "cannot read %s", path);
	}
	file.path = NULL;
	(*timeline)->file = file;
	return NX_OK;
}

bool nx_timeline_is_damaged(const struct nx_timeline *t)
{
	return nx_file_is_damaged(&t->file);
}

void nx_timeline_close(struct nx_timeline *timeline)
{
	if (!timeline)
		return;
	nx_file_unmap(&timeline->file);
	nx_heap_free(timeline->attributes);
	nx_heap_free(timeline);
}

bool nx_timeline_extent(const struct nx_timeline *t, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = UINT64_MAX;
	*to_ns = 0;
	for (uint32_t i = 0; i < t->footer.strip_count; i++) {
		if (t->strips[i].first_ns < *from_ns)
			*from_ns = t->strips[i].first_ns;
		if (t->strips[i].end_ns > *to_ns)
			*to_ns = t->strips[i].end_ns;
	}
	if (t->footer.strip_count)
		return true;
	*from_ns = 0;
	return false;
}

uint32_t nx_timeline_track_count(const struct nx_timeline *t)
{
	return t->footer.track_count;
}

bool nx_timeline_track(const struct nx_timeline *t, uint32_t track, struct nx_track *found)
{
	const struct nx_track_record *record;

	if (track >= t->footer.track_count)
		return false;
	record = &t->tracks[track];
	*found = (struct nx_track){
		.kind = record->kind,
		.parent = record->parent,
		.name = nx_timeline_name(t, record->name),
		.unit = nx_timeline_name(t, record->unit),
		.rank = record->rank,
		.keys = {record->keys[0], record->keys[1]},
		.attributes = t->attributes ? t->attributes + record->first_attribute : NULL,
		.attribute_count = record->attribute_count,
		.depth_count = record->depth_count,
		.lost_count = record->lost_count,
	};
	for (uint32_t d = 0; d < record->depth_count; d++) {
		const struct nx_strip_record *strip = &t->strips[record->first_strip + d];

		found->row_count += strip->row_count;
		if (!d || strip->first_ns < found->first_ns)
			found->first_ns = strip->first_ns;
		if (strip->end_ns > found->last_ns)
			found->last_ns = strip->end_ns;
	}
	return true;
}

uint32_t nx_timeline_name_count(const struct nx_timeline *t)
{
	return t->footer.name_count;
}

struct nx_slice nx_timeline_name(const struct nx_timeline *t, uint32_t name)
{
	uint64_t from;

	if (name >= t->footer.name_count)
		return nx_slice_text("");
	from = name ? t->name_ends[name - 1] : 0;
	return nx_slice_part(t->texts, from, t->name_ends[name] - from);
}
