/* SPDX-License-Identifier: Apache-2.0 */
#include "model/table_sink.h"

void nx_table_sink_fail(struct nx_table_sink *sink, const struct nx_error *error)
{
	if (!sink->error.status)
		sink->error = *error;
}

enum nx_status nx_table_sink_status(const struct nx_table_sink *sink, struct nx_error *err)
{
	if (!sink->error.status)
		return NX_OK;
	return nx_fail(err, sink->error.status, "%s", sink->error.message);
}
