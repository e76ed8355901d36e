/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any text as lists of cores and of events: right, or a sentence and nothing changed. */
#include <stdlib.h>
#include <string.h>

#include "runtime/trace/trace_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void require(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct nx_trace_filter before = {{1, 2}, 3}, cores = before, types = before;
	char *text = malloc(len + 1);
	struct nx_error err;

	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	if (nx_trace_filter_parse_cores(&cores, text, &err))
		require(err.message[0] && memcmp(&cores, &before, sizeof(before)) == 0);
	else
		require((cores.cores[0] | cores.cores[1]) && cores.types == 3);
	if (nx_trace_filter_parse_types(&types, text, &err))
		require(err.message[0] && memcmp(&types, &before, sizeof(before)) == 0);
	else
		require(!(types.types & ~nx_trace_filter_all_types()) && types.cores[1] == 2);
	free(text);
	return 0;
}
