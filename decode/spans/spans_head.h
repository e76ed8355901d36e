/* SPDX-License-Identifier: Apache-2.0 */
/* spans_head: a record of spans.pb without its attributes, read fast. */
#ifndef NX_DECODE_SPANS_SPANS_HEAD_H
#define NX_DECODE_SPANS_SPANS_HEAD_H

#include "format/spans.h"

struct nx_spans_head {
	uint64_t what, time_ns, end_ns, thread_id, id, name, kind, flow, line;
	uint64_t recorded_count, lost_count, version;
	int64_t step_num;
	double value;
	struct nx_slice text, file;
	bool is_step;
};

/* False if the record is not a message. */
bool nx_spans_head_read(struct nx_slice record, struct nx_spans_head *head);

#endif
