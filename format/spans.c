/* SPDX-License-Identifier: Apache-2.0 */
#include "format/spans.h"

#define NX_MESSAGE NX_WIRE_TABLE
#define NX_MEMBER NX_WIRE_ROW
#define NX_MESSAGE_END NX_WIRE_TABLE_END
#include "format/spans.def"

const char *nx_spans_kind_name(uint64_t kind)
{
	static const char *const names[NX_SPANS_KIND_COUNT] = {
		[NX_SPANS_ANNOTATION] = "annotation", [NX_SPANS_PYTHON] = "python",
		[NX_SPANS_OPERATOR] = "operator",     [NX_SPANS_STEP] = "step",
		[NX_SPANS_RUNTIME] = "runtime",	      [NX_SPANS_FRAMEWORK] = "framework",
	};

	return kind < NX_SPANS_KIND_COUNT ? names[kind] : NULL;
}
