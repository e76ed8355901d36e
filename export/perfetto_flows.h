/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_flows: the arrows between instructions that depend on each other.
 *
 * A flow joins two slices, and the earlier one must already name it, so all
 * dependencies are collected before anything is written: once by producer and
 * once by consumer, in spools that bound the memory. A predecessor that ran
 * several times is joined by its latest run before the consumer.
 */
#ifndef NX_EXPORT_PERFETTO_FLOWS_H
#define NX_EXPORT_PERFETTO_FLOWS_H

#include "format/perfetto/perfetto.h"
#include "model/profile.h"

struct nx_flow_index;

NX_MUST_CHECK enum nx_status nx_flow_index_build(struct nx_flow_index **out,
						 const struct nx_profile *profile,
						 struct nx_error *err);
/* Flows of the next row of the instruction table; valid until the next call. */
const struct nx_perfetto_flows *nx_flow_index_next(struct nx_flow_index *index);
/* Frees; says whether reading the spools failed. NULL is fine. */
NX_MUST_CHECK enum nx_status nx_flow_index_close(struct nx_flow_index *index, struct nx_error *err);

#endif
