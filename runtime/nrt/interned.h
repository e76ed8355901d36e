/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interned: names that events refer to by id; trace_info.pb lists them.
 *
 * Ids are those of format/ntrace, so a name has the same id in every process. The
 * table never shrinks. It is limited, so that a program with ever new names does
 * not exhaust memory: further names become "_unknown_".
 */
#ifndef NX_RUNTIME_NRT_INTERNED_H
#define NX_RUNTIME_NRT_INTERNED_H

#include "format/ntrace.h"

#define NX_INTERNED_MAX 100000
#define NX_INTERNED_UNKNOWN "_unknown_"

/* The id of a name; NULL and "" count as "_unknown_". */
uint64_t nx_interned_id(const char *text);
/* The number of entries. Texts live as long as the process. */
size_t nx_interned_count(void);
/* Fills items with at most cap entries, oldest first; returns how many. */
size_t nx_interned_list(struct nx_ntrace_text *items, size_t cap);

void nx_interned_abandon(void); /* in the child after a fork */

#endif
