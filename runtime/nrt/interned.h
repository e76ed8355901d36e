/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interned: texts that events name by number, as trace_info.pb lists them.
 *
 * Ids are those of format/ntrace, so the same name has the same id in every
 * process. The table only grows; it has a bound, behind which new names become
 * "_unknown_", as a program that invents names for ever must not eat its host.
 */
#ifndef NX_RUNTIME_NRT_INTERNED_H
#define NX_RUNTIME_NRT_INTERNED_H

#include "format/ntrace.h"

#define NX_INTERNED_MAX 100000
#define NX_INTERNED_UNKNOWN "_unknown_"

/* The id of a text; "_unknown_" stands for NULL and "". */
uint64_t nx_interned_id(const char *text);
/* Entries so far, in order of arrival; texts live as long as the process. */
size_t nx_interned_count(void);
/* Fills items with at most cap entries; returns how many. */
size_t nx_interned_list(struct nx_ntrace_text *items, size_t cap);

#endif
