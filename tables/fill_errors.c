/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "format/instruction.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"
#include "tables/sorted_rows.h"

struct error_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_row row;
};

/* "engine=Vector pc=12 opcode=COPY": where it happened, as far as the record tells. */
static bool place_of(const struct nx_profile *p, const struct nx_fault *fault, char *out,
		     size_t cap)
{
	const uint8_t *word;
	char label[16];

	if (fault->engine >= NX_ENGINE_COUNT)
		return false;
	word = nx_instruction_word(p->capture.graphs[fault->graph].engines[fault->engine].code,
				   fault->slot);
	if (word)
		snprintf(out, cap, "engine=%s pc=%u opcode=%s", nx_engines[fault->engine].label,
			 fault->slot, nx_opcode_label(nx_word_opcode(word), label));
	else
		snprintf(out, cap, "engine=%s", nx_engines[fault->engine].label);
	return true;
}

static unsigned type_of(uint8_t kind)
{
	switch (kind) {
	case NX_FAULT_ERROR:
		return NX_VALUE_ErrorType_errors;
	case NX_FAULT_WARNING:
		return NX_VALUE_ErrorType_warnings;
	default:
		return NX_VALUE_ErrorType_custom_notification;
	}
}

static void put_fault(void *context, const void *opaque)
{
	struct error_fill *x = context;
	const struct nx_fault *fault = opaque;
	struct nx_row *row = &x->row;
	char place[96], words[32];

	nx_row_put_i64(row, NX_COL_Error_timestamp, nx_ps_to_ns(fault->time_ps));
	nx_row_put_text(row, NX_COL_Error_description, nx_fault_name(fault));
	nx_row_put_i64(row, NX_COL_Error_error_type_id, fault->id);
	if (place_of(x->profile, fault, place, sizeof(place)))
		nx_row_put_text(row, NX_COL_Error_metadata, place);
	snprintf(words, sizeof(words), "0x%08x%08x", fault->w1, fault->w0);
	nx_row_put_text(row, NX_COL_Error_metadata_hex, words);
	nx_row_put_i64(row, NX_COL_Error_pcore_idx, fault->graph);
	nx_row_put_enum(row, NX_COL_Error_type, NX_SCHEMA_ErrorType, type_of(fault->kind));
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_errors(struct nx_device_fill *fill)
{
	struct error_fill x = {.profile = fill->profile, .sink = fill->sink};
	enum nx_status st;

	nx_row_init(&x.row, NX_SCHEMA_Error);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_Error);
	st = nx_sorted_rows_scan(fill->profile, NX_TABLE_FAULT, sizeof(struct nx_fault), put_fault,
				 &x, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_Error);
	return st;
}
