/* SPDX-License-Identifier: Apache-2.0 */
/* step_rows: steps and gaps of a system profile as rows of the published tables, for the fillers
 * and for exporters that write the same columns. */
#ifndef NX_TABLES_STEP_ROWS_H
#define NX_TABLES_STEP_ROWS_H

#include "model/system.h"
#include "model/table_sink.h"

#define NX_STEP_LABEL_MAX 320

struct nx_step_table {
	enum nx_schema_table_id published;
	enum nx_system_table source;
	/* fills an empty row; texts borrow from the profile and from label */
	void (*fill)(struct nx_row *row, const struct nx_system_profile *profile, const void *item,
		     char label[NX_STEP_LABEL_MAX]);
};

#define NX_STEP_TABLES 4
extern const struct nx_step_table nx_step_tables[NX_STEP_TABLES];

#endif
