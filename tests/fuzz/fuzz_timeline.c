/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks a timeline everything while any of its bytes may be wrong. The first byte decides: either
 * the rest is a file as it is, or the rest is a list of changes to a good one, whose checksum is
 * then made right again, as guessing it would take for ever.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/timeline/timeline_internal.h"
#include "store/timeline/timeline_writer.h"
#include "tests/unit/store/timeline_whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#define BUCKETS 37
#define CHANGE_BYTES 5 /* three of the place, one kind, one value */
#define MOST_CHANGES 64

static struct nx_slice good;	  /* a file without fault */
static volatile uint8_t read_sum; /* keeps reads that nobody needs */

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void fill(struct nx_timeline_writer *writer)
{
	const struct nx_track_attribute attributes[] = {
		{nx_slice_text("core"), nx_slice_text("0")},
		{nx_slice_text("t"), nx_slice_text("")},
	};
	struct nx_track track = {
		.parent = NX_TRACK_NONE,
		.name = nx_slice_text("t"),
		.unit = nx_slice_text("u"),
		.attributes = attributes,
	};
	struct nx_error err;

	for (uint32_t i = 0; i < 3; i++) {
		track.kind = i % NX_TRACK_KIND_COUNT;
		track.attribute_count = i;
		nx_timeline_writer_add_track(writer, &track);
	}
	for (uint64_t i = 0; i < 6000; i++) {
		struct nx_span span = {i * 50, i * 50 + 20 + i % 90, i, (uint32_t)(i / 7 % 2)};
		struct nx_sample sample = {i * 50, (double)(i % 100) / (double)(1 + i % 3)};

		require(nx_timeline_writer_add_span(writer, 1, &span, &err) == NX_OK);
		require(nx_timeline_writer_add_sample(writer, 2, &sample, &err) == NX_OK);
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[] = "/tmp/fuzz-timeline-XXXXXX";
	int fd = mkstemp(path);
	struct nx_timeline_writer *writer;
	struct nx_file file;

	(void)argc;
	(void)argv;
	require(fd >= 0);
	close(fd);
	require(nx_timeline_writer_open(&writer, path, 0, NULL) == NX_OK);
	fill(writer);
	require(nx_timeline_writer_commit(writer, NULL) == NX_OK);
	require(nx_file_map(&file, path, NULL) == NX_OK);
	unlink(path);
	good = file.bytes;
	return 0;
}

static void ask_spans(const struct nx_timeline *t, struct nx_timeline_window *window)
{
	struct nx_span_bucket buckets[BUCKETS];
	struct nx_span spans[BUCKETS];
	uint64_t idx;

	if (whole_spans(t, window, buckets, NULL))
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		uint64_t rows = nx_timeline_span_count(t, window->track, buckets[i].longest_depth);

		require(!buckets[i].count || buckets[i].longest_idx < rows);
		require(buckets[i].count || buckets[i].longest_idx == NX_SPAN_NONE);
		nx_timeline_name(t, buckets[i].name);
	}
	nx_timeline_rows(t, window, spans, BUCKETS, &idx);
	idx = nx_timeline_find(t, window->track, window->depth, window->from_ns);
	require(idx == NX_SPAN_NONE ||
		nx_timeline_span(t, window->track, window->depth, idx, spans));
	idx = nx_timeline_next(t, window->track, window->depth, window->to_ns);
	require(idx <= nx_timeline_span_count(t, window->track, window->depth));
}

static void ask_counter(const struct nx_timeline *t, const struct nx_timeline_window *window)
{
	struct nx_counter_bucket buckets[BUCKETS];
	struct nx_sample samples[BUCKETS];

	if (nx_timeline_counter(t, window, buckets, NULL) == NX_OK)
		whole_samples(t, window, samples, BUCKETS);
}

/* Every byte of every pair lies within the file. */
static void ask_attributes(const struct nx_timeline *t)
{
	struct nx_track track;
	uint8_t sum = 0;

	for (uint32_t i = 0; nx_timeline_track(t, i, &track); i++) {
		for (uint32_t a = 0; a < track.attribute_count; a++) {
			const struct nx_track_attribute *pair = &track.attributes[a];

			for (size_t at = 0; at < pair->key.len; at++)
				sum ^= pair->key.data[at];
			for (size_t at = 0; at < pair->value.len; at++)
				sum ^= pair->value.data[at];
		}
	}
	read_sum = sum;
}

static void ask(const struct nx_timeline *t)
{
	uint32_t tracks = nx_timeline_track_count(t);
	uint64_t from_ns, to_ns;

	ask_attributes(t);
	if (!nx_timeline_extent(t, &from_ns, &to_ns) || from_ns >= to_ns)
		return;
	for (uint32_t i = 0; i < tracks && i < 8; i++) {
		struct nx_track track;

		require(nx_timeline_track(t, i, &track));
		for (uint32_t zoom = 0; zoom < 64; zoom += 9) {
			struct nx_timeline_window window = {
				.track = i,
				.depth = zoom % 2 ? NX_ALL_DEPTHS : zoom % (track.depth_count + 1),
				.from_ns = from_ns + (to_ns - from_ns) / 3 * (zoom > 0),
				.bucket_count = BUCKETS,
			};

			window.to_ns = window.from_ns + 1 + ((to_ns - window.from_ns - 1) >> zoom);
			ask_spans(t, &window);
			ask_counter(t, &window);
		}
	}
}

/* Most of what can be wrong is at the end; a kind byte chooses from where to count. */
static void change(uint8_t *bytes, size_t len, const uint8_t *how)
{
	size_t place = ((size_t)how[0] | (size_t)how[1] << 8 | (size_t)how[2] << 16) % len;

	if (how[3] & 1)
		place = len - 1 - place;
	if (how[3] & 2)
		bytes[place] = how[4];
	else
		bytes[place] ^= how[4];
}

static void seal(uint8_t *bytes, size_t len)
{
	struct nx_timeline_footer *footer = (void *)(bytes + len - sizeof(*footer));

	footer->checksum =
		nx_timeline_checksum(nx_slice_part(nx_slice_of(bytes, len), footer->directory_at,
						   footer->directory_bytes),
				     footer);
}

static void open_and_ask(const uint8_t *bytes, size_t len)
{
	struct nx_timeline *t;
	struct nx_error err = {0};

	if (nx_timeline_open_bytes(&t, nx_slice_of(bytes, len), &err) == NX_OK) {
		ask(t);
		nx_timeline_close(t);
	} else {
		require(err.message[0] && !t);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool is_file = len && data[0] & 1;
	size_t size = is_file ? len - 1 : good.len;
	uint8_t *bytes = malloc(size + 1); /* exactly so many may be read, but never none */

	require(bytes);
	if (is_file) {
		memcpy(bytes, data + 1, size);
	} else {
		memcpy(bytes, good.data, size);
		for (size_t i = 1, n = 0; i + CHANGE_BYTES <= len && n < MOST_CHANGES; n++) {
			change(bytes, size, data + i);
			i += CHANGE_BYTES;
		}
		seal(bytes, size);
	}
	open_and_ask(bytes, size);
	free(bytes);
	return 0;
}
