/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_fields: the published fields of an instruction's slot, in one place for the JSON
 * export, the Perfetto export and table Instruction. Each of them adds the times, id and trigger of
 * an execution. Texts live in the arena until it is released.
 */
#ifndef NX_TABLES_INSTRUCTION_FIELDS_H
#define NX_TABLES_INSTRUCTION_FIELDS_H

#include "base/vec.h"
#include "model/profile.h"
#include "model/schema.h"

enum nx_field_reader {
	NX_FOR_JSON = 1 << 0,
	NX_FOR_PERFETTO = 1 << 1,
	NX_FOR_TABLE = 1 << 2,
};

enum nx_field_kind { NX_FIELD_NUMBER, NX_FIELD_BOOL, NX_FIELD_TEXT, NX_FIELD_IDS };

struct nx_field {
	const char *name; /* in JSON and Perfetto */
	unsigned column;  /* of table Instruction */
	uint8_t kind;	  /* enum nx_field_kind */
	uint64_t number;  /* also a bool; of ids the count */
	union {
		struct nx_slice text; /* ends with a NUL, which its length does not count */
		const uint64_t *ids;
	};
};

struct nx_instruction_fields {
	const struct nx_profile *profile;
	enum nx_field_reader reader;
	struct nx_arena arena;
	struct nx_field_list NX_VEC_BODY(struct nx_field) list; /* of the slot read last */
	/* the latest of each, which the next slot often shares */
	const char *kernel_file;
	uint32_t kernel_line;
	struct nx_slice kernel_place;
	uint32_t stack_frame_id;
	struct nx_slice stack_frame_ids;
	uint32_t traced_frame_id;
	struct nx_slice stack_trace;
};

void nx_instruction_fields_init(struct nx_instruction_fields *fields,
				const struct nx_profile *profile, enum nx_field_reader reader);
void nx_instruction_fields_release(struct nx_instruction_fields *fields);
/* Releases the texts made so far, for readers that write them at once. */
void nx_instruction_fields_forget(struct nx_instruction_fields *fields);

/* Fills the list with the fields of the row's slot that the reader publishes, in order. */
void nx_instruction_fields_read(struct nx_instruction_fields *fields,
				const struct nx_instruction *row);

/* An instruction word as opcode and operands; the texts are in the arena or constant. */
struct nx_instruction_words {
	struct nx_slice opcode, operands;
};
struct nx_instruction_words nx_instruction_words(const struct nx_profile *profile, uint32_t graph,
						 const uint8_t *word, struct nx_arena *arena);

#endif
