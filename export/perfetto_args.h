/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_args: the details of device rows as Perfetto arguments, named like
 * the fields of the JSON export (docs/formats/json.md).
 */
#ifndef NX_EXPORT_PERFETTO_ARGS_H
#define NX_EXPORT_PERFETTO_ARGS_H

#include "base/vec.h"
#include "format/perfetto/perfetto.h"
#include "model/profile.h"

#define NX_SEMAPHORE_LABEL_MAX 300

struct nx_perfetto_args NX_VEC_BODY(struct nx_perfetto_arg);

void nx_perfetto_arg_u64(struct nx_perfetto_args *args, const char *name, uint64_t value);
void nx_perfetto_arg_f64(struct nx_perfetto_args *args, const char *name, double value);
void nx_perfetto_arg_bool(struct nx_perfetto_args *args, const char *name, bool value);
/* The text is borrowed. */
void nx_perfetto_arg_text(struct nx_perfetto_args *args, const char *name, const char *text);

/* What the NEFF's block says of a transfer or of a packet of it; label holds one of its texts. */
void nx_perfetto_attribution_args(struct nx_perfetto_args *args, const struct nx_profile *profile,
				  const struct nx_transfer *t, char label[NX_SEMAPHORE_LABEL_MAX]);
/* The variable a person would name, NULL when the NEFF does not tell. */
const char *nx_perfetto_transfer_variable(const struct nx_profile *profile,
					  const struct nx_transfer *t);

/* "S[5] (Tensor)", or "S[5]" without a NEFF. */
void nx_perfetto_semaphore_label(const struct nx_profile *profile, uint32_t graph,
				 uint32_t semaphore, char label[NX_SEMAPHORE_LABEL_MAX]);

#endif
