/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntrace: the files of a system profile, one set per traced process.
 *
 * trace_info.pb is one bare message; ntrace.pb, cpu_util.pb and host_mem.pb are streams of records,
 * each a u32 little-endian length and that many bytes. docs/formats/system.md has the layout,
 * ntrace.def the messages.
 */
#ifndef NX_FORMAT_NTRACE_H
#define NX_FORMAT_NTRACE_H

#include "format/wire.h"

enum nx_ntrace_phase { NX_PHASE_INVALID, NX_PHASE_START, NX_PHASE_STOP, NX_PHASE_INSTANT };

#define NX_MESSAGE NX_WIRE_STRUCT
#define NX_MEMBER NX_WIRE_MEMBER
#define NX_MESSAGE_END NX_WIRE_STRUCT_END
#include "format/ntrace.def"

/* --- streams --------------------------------------------------------------- */

struct nx_ntrace_stream {
	struct nx_slice file;
	uint64_t at;	  /* of the next record */
	bool is_torn;	  /* the file ended inside a record, or a length is invalid */
	uint64_t torn_at; /* offset of that record */
};

/* The next record's message; false at the end or if the file is torn. */
bool nx_ntrace_next(struct nx_ntrace_stream *stream, struct nx_slice *record);
/* Appends length and message. */
void nx_ntrace_append(struct nx_bytes *out, const struct nx_wire_message *message, const void *in);

/* What pairing needs of an event, read fast; attributes stay in the record. */
struct nx_ntrace_head {
	uint64_t timestamp_ns, thread_id, id, tracking_id, event_type;
	uint64_t nrta_seq_id; /* of an asynchronous request; 0 = none */
	uint64_t phase;	      /* enum nx_ntrace_phase */
	int64_t nc_idx;	      /* attribute nc_idx, else field 5; -1 = none */
	int64_t worker_gid;   /* attribute; -1 = none */
	uint64_t unknown_field_count;
	/* Bytes of the record before its attributes; 0 if it has none, if they are not contiguous
	 * or if the number does not fit. */
	uint8_t lead_bytes;
};
/* False if the record is not an event: empty, or not a valid message. */
bool nx_ntrace_read_head(struct nx_slice record, struct nx_ntrace_head *head);

/* The record's attributes, in file order; returns how many there are (may exceed cap). */
size_t nx_ntrace_read_attributes(struct nx_slice record, struct nx_ntrace_attribute *out,
				 size_t cap);

/*
 * The values of a record whose attributes have exactly these keys in this order. False if it has
 * others or an unusual layout: then call nx_ntrace_read_attributes. lead_bytes is that of its head,
 * or 0 to read the record from its beginning.
 */
bool nx_ntrace_read_values(struct nx_slice record, size_t lead_bytes, const struct nx_slice *keys,
			   size_t count, struct nx_slice *values);

/* Names of event types for files without their own table; NULL beyond it. */
const char *nx_ntrace_event_name(uint64_t event_type);
bool nx_ntrace_is_hardware(const char *event_name); /* neuron_hw, not neuron_rt */

/* What device memory is used for, as attribute usage_type spells it; NULL beyond the table. */
#define NX_NTRACE_CATEGORIES 22
const char *nx_ntrace_category_name(uint64_t usage_type);

/* Id of an interned text: SipHash-1-3 with key 0 over text and 0xFF, 50 bits, plus 1. */
uint64_t nx_ntrace_intern_id(struct nx_slice text);

#endif
