/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/operand_runs.h"
#include <assert.h>

struct walk {
	const struct nx_operand *operand;
	int64_t limit_bytes;
	nx_run_fn fn;
	void *context;
};

/* count elements, one after the other, from element on. */
static void touch(const struct walk *w, int64_t element, uint32_t count)
{
	const struct nx_operand *o = w->operand;
	int64_t first = (int64_t)(o->address % NX_PARTITION_STRIDE) + element * o->element_bytes;
	int64_t end = first + (int64_t)count * o->element_bytes;

	first = first < 0 ? 0 : first;
	end = end > w->limit_bytes ? w->limit_bytes : end;
	if (first < end)
		w->fn(w->context, (uint32_t)first, (uint32_t)end);
}

static void touch_line(const struct walk *w, int64_t element, uint32_t count)
{
	int64_t step = w->operand->dims ? w->operand->steps[0] : 1;

	if (step == 1)
		touch(w, element, count);
	else if (step == -1)
		touch(w, element - (int64_t)count + 1, count);
	else if (step == 0)
		touch(w, element, 1);
	else
		for (uint32_t i = 0; i < count; i++)
			touch(w, element + i * step, 1);
}

void nx_operand_runs(const struct nx_operand *o, uint32_t limit_bytes, nx_run_fn fn, void *context)
{
	const struct walk w = {o, limit_bytes, fn, context};
	uint32_t counts[4] = {1, 1, 1, 1}, left = NX_PARTITION_STRIDE;
	/* a descending pattern covers [address - n, address): exports count it so */
	int64_t shift = o->dims && o->steps[0] < 0 ? -1 : 0;

	assert(fn);
	for (unsigned d = 0; d < o->dims && d < 4; d++)
		counts[d] = o->counts[d] ? o->counts[d] : 1;
	for (uint32_t l = 0; l < counts[3]; l++)
		for (uint32_t k = 0; k < counts[2]; k++)
			for (uint32_t j = 0; j < counts[1]; j++) {
				if (left < counts[0])
					return;
				left -= counts[0];
				touch_line(&w,
					   shift + (int64_t)j * o->steps[1] +
						   (int64_t)k * o->steps[2] +
						   (int64_t)l * o->steps[3],
					   counts[0]);
			}
}
