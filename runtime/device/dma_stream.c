/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/dma_stream.h"

#include <assert.h>

/* Joins a dimension to the run if it continues it, as long runs are faster. */
static void add_dimension(struct nx_dma_stream *s, uint64_t count, int64_t step)
{
	if (count == 1)
		return;
	if (s->dims == 0 && step > 0 && (uint64_t)step == s->run_bytes) {
		s->run_bytes *= (size_t)count;
		return;
	}
	s->counts[s->dims] = count;
	s->steps[s->dims++] = step;
}

static const char *shape(struct nx_dma_stream *s, const struct nx_dma_walk *walk)
{
	unsigned first = walk->dims && walk->steps[0] == 1;

	if (walk->dims == 0 || walk->dims > NX_DMA_MAX_DIMS)
		return "has no shape that a descriptor can have";
	s->total_bytes = 1;
	for (unsigned i = 0; i < walk->dims; i++)
		if (walk->sizes[i] == 0 ||
		    __builtin_mul_overflow(s->total_bytes, walk->sizes[i], &s->total_bytes) ||
		    s->total_bytes > INT64_MAX)
			return "has no size that memory can have";
	s->run_bytes = first ? (size_t)walk->sizes[0] : 1;
	for (unsigned i = first; i < walk->dims; i++)
		add_dimension(s, walk->sizes[i], walk->steps[i]);
	return NULL;
}

/* First and last byte of the walk, from its offset; false if they do not fit 64 bits. */
static bool reach(const struct nx_dma_stream *s, int64_t *least, int64_t *most)
{
	*least = 0;
	*most = (int64_t)s->run_bytes;
	for (unsigned i = 0; i < s->dims; i++) {
		int64_t span;

		if (__builtin_mul_overflow((int64_t)s->counts[i] - 1, s->steps[i], &span) ||
		    __builtin_add_overflow(span < 0 ? *least : *most, span,
					   span < 0 ? least : most))
			return false;
	}
	return true;
}

/* How far a step moves within a partition; whole partitions do not count. */
static int64_t step_inside(int64_t step)
{
	int64_t inside = step % (int64_t)NX_PARTITION_STRIDE;

	if (inside > NX_PARTITION_STRIDE / 2)
		inside -= NX_PARTITION_STRIDE;
	else if (inside < -(int64_t)(NX_PARTITION_STRIDE / 2))
		inside += NX_PARTITION_STRIDE;
	return inside;
}

/* On chip, a run must stay in its partition; the walk as a whole is known to stay in memory. */
static const char *check_partitions(const struct nx_dma_stream *s, uint64_t offset,
				    uint32_t partition_bytes)
{
	int64_t least = 0, most = (int64_t)s->run_bytes;
	int64_t start = (int64_t)(offset & (NX_PARTITION_STRIDE - 1));

	for (unsigned i = 0; i < s->dims; i++) {
		int64_t span = ((int64_t)s->counts[i] - 1) * step_inside(s->steps[i]);

		if (span < 0)
			least += span;
		else
			most += span;
	}
	if (offset >= NX_PSUM_BASE)
		partition_bytes = NX_PSUM_PARTITION_BYTES;
	return start + least < 0 || start + most > partition_bytes ? "reaches beyond its partition"
								   : NULL;
}

const char *nx_dma_stream_begin(struct nx_dma_stream *stream, const struct nx_dma_region *region,
				uint32_t partition_bytes, const struct nx_dma_walk *walk)
{
	uint64_t limit = walk->limit < region->size_bytes ? walk->limit : region->size_bytes;
	const char *wrong;
	int64_t least, most;

	*stream = (struct nx_dma_stream){0};
	wrong = shape(stream, walk);
	if (wrong)
		return wrong;
	if (!reach(stream, &least, &most) || walk->offset > limit ||
	    0 - (uint64_t)least > walk->offset || (uint64_t)most > limit - walk->offset)
		return "reaches beyond the variable";
	if (region->is_on_chip)
		wrong = check_partitions(stream, walk->offset, partition_bytes);
	stream->bytes = region->bytes + walk->offset;
	return wrong;
}

static void next_run(struct nx_dma_stream *s)
{
	s->in_run = 0;
	for (unsigned i = 0; i < s->dims; i++) {
		s->at += s->steps[i];
		if (++s->done[i] < s->counts[i])
			return;
		s->at -= s->steps[i] * (ptrdiff_t)s->counts[i];
		s->done[i] = 0;
	}
}

static void move(struct nx_dma_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
	assert(s->run_bytes > 0 && s->in_run < s->run_bytes);
	for (size_t done = 0, part; done < len; done += part) {
		uint8_t *at = s->bytes + s->at + s->in_run;

		part = s->run_bytes - s->in_run;
		part = part < len - done ? part : len - done;
		if (out)
			memcpy(out + done, at, part);
		else
			memcpy(at, in + done, part);
		s->in_run += part;
		if (s->in_run == s->run_bytes)
			next_run(s);
	}
}

void nx_dma_stream_read(struct nx_dma_stream *stream, uint8_t *out, size_t len)
{
	move(stream, out, NULL, len);
}

void nx_dma_stream_write(struct nx_dma_stream *stream, const uint8_t *bytes, size_t len)
{
	move(stream, NULL, bytes, len);
}
