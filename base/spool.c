/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"
#include "base/bare/bits.h"
#include "base/spool_inside.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STAGING_BYTES ((size_t)256 << 10)
#define FIRST_BUFFER_RECORDS ((size_t)1024)

/* What is moved while sorting, instead of whole records. */
struct pair {
	uint64_t key;
	uint32_t index;
};

struct nx_spool *nx_spool_new(size_t record_size, size_t buffer_bytes)
{
	struct nx_spool *spool = nx_heap_alloc(sizeof(*spool));
	size_t room_max = buffer_bytes / (record_size + 2 * sizeof(struct pair));

	assert(record_size >= sizeof(uint64_t));
	*spool = (struct nx_spool){
		.record_size = record_size,
		.buffer_bytes = buffer_bytes,
		.room_max = room_max < 2	    ? 2
			    : room_max < UINT32_MAX ? room_max
						    : UINT32_MAX,
		.fd = -1,
	};
	return spool;
}

void nx_spool_free(struct nx_spool *spool)
{
	if (!spool)
		return;
	if (spool->fd >= 0)
		close(spool->fd);
	nx_vec_release(&spool->runs);
	nx_vec_release(&spool->cuts);
	nx_heap_free(spool->order);
	nx_heap_free(spool->buffer);
	nx_heap_free(spool);
}

uint64_t nx_spool_count(const struct nx_spool *spool)
{
	return spool->count;
}

/* How often each value of each of the eight bytes of a key occurs. */
struct histogram {
	uint32_t of[8][256];
};

static void collect_pairs(const struct nx_spool *spool, struct nx_spool_range range,
			  struct pair *pairs, struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	for (size_t i = range.from; i < range.to; i++) {
		uint64_t key = nx_load64(nx_spool_record(spool, i));

		pairs[i - range.from] = (struct pair){key, (uint32_t)i};
		for (unsigned byte = 0; byte < 8; byte++)
			h->of[byte][key >> (8 * byte) & 0xff]++;
	}
}

/* One stable pass by one byte of the key; false when that byte is the same everywhere. */
static bool scatter(const struct pair *from, struct pair *to, size_t count, unsigned byte,
		    const uint32_t *counts)
{
	size_t next[256];
	size_t sum = 0;

	if (counts[from[0].key >> (8 * byte) & 0xff] == count)
		return false;
	for (unsigned i = 0; i < 256; i++) {
		next[i] = sum;
		sum += counts[i];
	}
	for (size_t i = 0; i < count; i++)
		to[next[from[i].key >> (8 * byte) & 0xff]++] = from[i];
	return true;
}

static void sort_range(struct nx_spool *spool, struct nx_spool_range range, struct pair *pairs,
		       struct pair *other)
{
	struct histogram h;
	size_t count = range.to - range.from;

	if (!count)
		return;
	collect_pairs(spool, range, pairs, &h);
	for (unsigned byte = 0; byte < 8; byte++) {
		if (scatter(pairs, other, count, byte, h.of[byte])) {
			struct pair *swap = pairs;

			pairs = other;
			other = swap;
		}
	}
	for (size_t i = 0; i < count; i++)
		spool->order[range.from + i] = pairs[i].index;
}

static void sort_buffer(struct nx_spool *spool)
{
	struct pair *pairs;

	if (!spool->unordered)
		return;
	pairs = nx_heap_alloc(2 * spool->used * sizeof(*pairs));
	spool->order = nx_heap_alloc(spool->used * sizeof(*spool->order));
	for (size_t i = 0; i <= spool->cuts.len; i++)
		sort_range(spool, nx_spool_range_of(spool, i), pairs, pairs + spool->used);
	nx_heap_free(pairs);
}

static int open_unlinked(const char *directory)
{
	char name[sizeof(((struct nx_spool *)0)->directory) + 32];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Some file systems know no nameless files. */
	snprintf(name, sizeof(name), "%s/neuron-spool-XXXXXX", directory);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static enum nx_status open_file(struct nx_spool *spool, struct nx_error *err)
{
	const char *chosen = getenv("TMPDIR");
	const char *directories[] = {chosen && *chosen ? chosen : "/var/tmp", "/tmp"};
	size_t count = chosen && *chosen ? 1 : 2;

	for (size_t i = 0; i < count && spool->fd < 0; i++) {
		if (strlen(directories[i]) >= sizeof(spool->directory))
			return nx_fail(err, NX_LIMIT,
				       "TMPDIR is too long; set it to a shorter path");
		snprintf(spool->directory, sizeof(spool->directory), "%s", directories[i]);
		spool->fd = open_unlinked(spool->directory);
	}
	if (spool->fd < 0)
		return nx_fail_errno(err, errno,
				     "cannot create a temporary file in %s; set TMPDIR to a "
				     "directory that can be written",
				     spool->directory);
	return NX_OK;
}

static enum nx_status fail_write(const struct nx_spool *spool, int errno_value,
				 struct nx_error *err)
{
	if (errno_value == ENOSPC || errno_value == EDQUOT)
		return nx_fail(err, NX_NO_SPACE,
			       "cannot sort in %s: the disk is full; free some space or set "
			       "TMPDIR to a directory on a larger disk",
			       spool->directory);
	return nx_fail_errno(err, errno_value, "cannot write a temporary file in %s",
			     spool->directory);
}

static enum nx_status write_at(const struct nx_spool *spool, const uint8_t *data, size_t len,
			       uint64_t offset, struct nx_error *err)
{
	while (len) {
		ssize_t n = pwrite(spool->fd, data, len, (off_t)offset);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return fail_write(spool, errno, err);
		}
		data += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return NX_OK;
}

static enum nx_status write_permuted(const struct nx_spool *spool, struct nx_error *err)
{
	size_t size = spool->record_size;
	size_t chunk = size < STAGING_BYTES ? STAGING_BYTES / size : 1;
	uint8_t *staging = nx_heap_alloc(chunk * size);
	uint64_t offset = spool->file_bytes;
	enum nx_status status = NX_OK;

	for (size_t done = 0; done < spool->used && !status; done += chunk) {
		size_t count = spool->used - done < chunk ? spool->used - done : chunk;

		for (size_t i = 0; i < count; i++)
			memcpy(staging + i * size, nx_spool_sorted_record(spool, done + i), size);
		status = write_at(spool, staging, count * size, offset, err);
		offset += count * size;
	}
	nx_heap_free(staging);
	return status;
}

static uint64_t sorted_key(const struct nx_spool *spool, size_t i)
{
	return nx_load64(nx_spool_record(spool, spool->order ? spool->order[i] : i));
}

/* Records that came in order make one run, however often the buffer was full. */
static void join_last_runs(struct nx_spool *spool)
{
	struct nx_spool_run *last = &spool->runs.items[spool->runs.len - 1], *before = last - 1;

	if (before->part != last->part || before->last_key > last->first_key)
		return;
	before->count += last->count;
	before->last_key = last->last_key;
	spool->runs.len--;
}

static void add_run(struct nx_spool *spool, struct nx_spool_range range, size_t part)
{
	struct nx_spool_run run = {
		.offset = spool->file_bytes + range.from * spool->record_size,
		.count = range.to - range.from,
		.part = part,
		.first_key = sorted_key(spool, range.from),
		.last_key = sorted_key(spool, range.to - 1),
	};

	nx_vec_push(&spool->runs, run);
	if (spool->runs.len > 1)
		join_last_runs(spool);
}

/* The buffer as it now lies at the end of the file; a part goes on in the next one. */
static void add_runs(struct nx_spool *spool)
{
	for (size_t i = 0; i <= spool->cuts.len; i++) {
		struct nx_spool_range range = nx_spool_range_of(spool, i);

		if (range.from < range.to)
			add_run(spool, range, spool->first_part + i);
	}
	spool->first_part += spool->cuts.len;
	nx_vec_clear(&spool->cuts);
}

/* Sorts the buffer, appends it to the file as a run and empties it. */
static enum nx_status spill(struct nx_spool *spool, struct nx_error *err)
{
	size_t len = spool->used * spool->record_size;
	enum nx_status status = NX_OK;

	if (spool->fd < 0)
		status = open_file(spool, err);
	if (status)
		return status;
	sort_buffer(spool);
	if (spool->order)
		status = write_permuted(spool, err);
	else
		status = write_at(spool, spool->buffer, len, spool->file_bytes, err);
	if (!status)
		add_runs(spool);
	nx_heap_free(spool->order);
	spool->order = NULL;
	if (status)
		return status;
	spool->file_bytes += len;
	spool->used = 0;
	spool->last_key = 0;
	spool->unordered = false;
	return NX_OK;
}

static void grow_buffer(struct nx_spool *spool)
{
	size_t room = spool->room ? spool->room * 2 : FIRST_BUFFER_RECORDS;

	if (room > spool->room_max)
		room = spool->room_max;
	spool->buffer = nx_heap_realloc(spool->buffer, room * spool->record_size);
	spool->room = room;
}

enum nx_status nx_spool_add(struct nx_spool *spool, const void *record, struct nx_error *err)
{
	uint64_t key = nx_load64(record);

	assert(!spool->sorted);
	if (spool->used == spool->room_max) {
		enum nx_status status = spill(spool, err);

		if (status)
			return status;
	}
	if (spool->used == spool->room)
		grow_buffer(spool);
	if (key < spool->last_key)
		spool->unordered = true;
	spool->last_key = key;
	memcpy(spool->buffer + spool->used * spool->record_size, record, spool->record_size);
	spool->used++;
	spool->count++;
	return NX_OK;
}

void nx_spool_cut(struct nx_spool *spool)
{
	assert(!spool->sorted);
	nx_vec_push(&spool->cuts, spool->used);
	spool->last_key = 0;
}

enum nx_status nx_spool_sort(struct nx_spool *spool, struct nx_error *err)
{
	enum nx_status status = NX_OK;

	if (spool->sorted)
		return NX_OK;
	if (!spool->runs.len) {
		sort_buffer(spool);
	} else {
		if (spool->used)
			status = spill(spool, err);
		if (status)
			return status;
		/* The memory is now for the cursors. */
		nx_heap_free(spool->buffer);
		spool->buffer = NULL;
	}
	spool->sorted = true;
	return NX_OK;
}
