/* SPDX-License-Identifier: Apache-2.0 */
#include "model/program.h"

#include <string.h>

#include "model/rows.h"

/* The partitions from the first on that a dimension of whole partitions adds. */
static void widen(struct nx_operand *o, int64_t step, uint64_t count)
{
	uint64_t reach = (step < 0 ? 0 - (uint64_t)step : (uint64_t)step) / NX_PARTITION_STRIDE;
	uint64_t added = count && reach ? count - 1 : 0;

	if (added > NX_PARTITION_COUNT || reach > NX_PARTITION_COUNT)
		added = NX_PARTITION_COUNT;
	else
		added *= reach;
	added += o->partition_count;
	o->partition_count = (uint8_t)(added < NX_PARTITION_COUNT ? added : NX_PARTITION_COUNT);
}

bool nx_operand_from_dma(struct nx_operand *o, uint64_t offset, const uint64_t *sizes,
			 const int64_t *steps, size_t dims)
{
	uint64_t run_bytes = dims ? sizes[0] : 0;

	memset(o, 0, sizeof(*o));
	o->buffer = NX_BUFFER_SBUF;
	o->address = (uint32_t)(offset % ((uint64_t)NX_PARTITION_STRIDE * NX_PARTITION_COUNT));
	o->element_bytes = run_bytes % 4 ? 1 : 4;
	o->partition_count = 1;
	if (!run_bytes || run_bytes / o->element_bytes > UINT16_MAX)
		return false;
	o->steps[0] = 1;
	o->counts[0] = (uint16_t)(run_bytes / o->element_bytes);
	o->dims = 1;
	for (size_t i = 1; i < dims; i++) {
		int64_t step = steps[i] / o->element_bytes;

		if (steps[i] % NX_PARTITION_STRIDE == 0) {
			widen(o, steps[i], sizes[i]);
			continue;
		}
		if (o->dims >= 4 || step > INT16_MAX || step < INT16_MIN || sizes[i] > UINT16_MAX)
			continue;
		o->steps[o->dims] = (int16_t)step;
		o->counts[o->dims++] = (uint16_t)sizes[i];
	}
	return true;
}
