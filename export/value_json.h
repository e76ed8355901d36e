/* SPDX-License-Identifier: Apache-2.0 */
/* value_json: a value of a row in JSON. */
#ifndef NX_EXPORT_VALUE_JSON_H
#define NX_EXPORT_VALUE_JSON_H

#include "base/json_writer.h"
#include "query/row_stream.h"

/* The largest whole number up to which a double has all of them. */
#define NX_JSON_SAFE_INTEGER ((INT64_C(1) << 53) - 1)

enum nx_json_reader_kind {
	NX_JSON_FOR_PROGRAMS, /* numbers are numbers, whatever their size */
	NX_JSON_FOR_SCRIPTS,  /* those that JavaScript cannot hold are texts */
};

void nx_value_json(struct nx_json_writer *w, const struct nx_value *value,
		   enum nx_json_reader_kind reader);

#endif
