/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto_reader: packets of a written trace as text, one line each, fields by number:
 * "8=100 10=1 13=2 11{9=1 10=1}". Strings are quoted, so nested messages must be named. */
#ifndef NX_TESTS_PERFETTO_READER_H
#define NX_TESTS_PERFETTO_READER_H

#include "base/vec.h"
#include "format/perfetto/perfetto.h"

struct nx_perfetto_reading {
	struct nx_perfetto *p;
	struct nx_output out;
	char path[64];
	struct nx_bytes text;
};

void nx_perfetto_reading_begin(struct nx_perfetto_reading *r, bool compress);
/* Ends the trace; the text of all its packets, bundles unpacked. */
const char *nx_perfetto_reading_end(struct nx_perfetto_reading *r);
void nx_perfetto_reading_release(struct nx_perfetto_reading *r);

/* The line of the nth packet that holds an event, NULL when there are fewer. */
const char *nx_perfetto_reading_event(struct nx_perfetto_reading *r, size_t n);

#endif
