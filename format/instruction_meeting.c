/* SPDX-License-Identifier: Apache-2.0 */
/* instruction_meeting: reads waits for and updates of semaphores and events. */
#include "base/bare/bits.h"
#include "format/instruction_field.h"
#include "format/operand_text.h"

#define HEADER_VALUE_AT 8

static const struct nx_sync_mode *take_mode(struct nx_cursor *c, const struct nx_sync_mode *modes,
					    bool is_event)
{
	for (; modes->sign; modes++)
		if (modes->is_event == is_event && nx_cursor_take(c, modes->sign))
			return modes;
	return NULL;
}

/* Where a wait or update is stored: in the header, or in the body of an EVENT_SEMAPHORE. */
struct meeting {
	uint8_t *wait, *update; /* mode, then index */
	uint8_t *wait_value, *update_value;
};

static enum nx_status read_mode_value(struct nx_instruction_reader *r,
				      const struct nx_sync_mode *mode, uint8_t *at,
				      struct nx_error *err)
{
	int64_t value;
	enum nx_status status;

	if (!mode->has_value)
		return NX_OK;
	status = nx_instruction_read_number(r, 0, UINT32_MAX, &value, err);
	if (status)
		return status;
	if (at == r->slot + HEADER_VALUE_AT) {
		if (r->has_header_value && nx_load32(at) != (uint32_t)value)
			return nx_fail(err, NX_FORMAT,
				       "a slot has one value for its wait and its update; they "
				       "have to be the same");
		r->has_header_value = true;
	}
	nx_store32(at, (uint32_t)value);
	return NX_OK;
}

/* "?w9[3]" and "?u6[3]": modes without a spelling. */
static enum nx_status read_unknown_mode(struct nx_instruction_reader *r, struct meeting m,
					bool is_wait, struct nx_error *err)
{
	int64_t mode, index = 0;
	enum nx_status status = nx_instruction_read_number(r, 0, UINT8_MAX, &mode, err);

	if (!status && !nx_cursor_take(&r->cursor, "["))
		status = nx_fail(err, NX_FORMAT, "'[' is missing here");
	if (!status)
		status = nx_instruction_read_number(r, 0, UINT8_MAX, &index, err);
	if (!status && !nx_cursor_take(&r->cursor, "]"))
		status = nx_fail(err, NX_FORMAT, "']' is missing here");
	if (status)
		return status;
	(is_wait ? m.wait : m.update)[0] = (uint8_t)mode;
	(is_wait ? m.wait : m.update)[1] = (uint8_t)index;
	return NX_OK;
}

/* "[8] (qSyncIO0)": the name is ignored. */
static enum nx_status read_index(struct nx_instruction_reader *r, int64_t *index,
				 struct nx_error *err)
{
	struct nx_cursor *c = &r->cursor;
	enum nx_status status = nx_instruction_read_number(r, 0, UINT8_MAX, index, err);

	if (!status && !nx_cursor_take(c, "]"))
		status = nx_fail(err, NX_FORMAT, "']' is missing here");
	if (status || !nx_cursor_take(c, " ("))
		return status;
	while (nx_cursor_peek(c) && nx_cursor_peek(c) != ')')
		c->at++;
	return nx_cursor_take(c, ")") ? NX_OK : nx_fail(err, NX_FORMAT, "')' is missing here");
}

static enum nx_status read_meeting(struct nx_instruction_reader *r, struct meeting m, bool is_event,
				   struct nx_error *err)
{
	const struct nx_sync_mode *wait, *update;
	int64_t index;
	enum nx_status status = read_index(r, &index, err);

	if (status)
		return status;
	wait = take_mode(&r->cursor, nx_wait_modes, is_event);
	if (wait) {
		m.wait[0] = wait->code;
		m.wait[1] = (uint8_t)index;
		return read_mode_value(r, wait, m.wait_value, err);
	}
	update = take_mode(&r->cursor, nx_update_modes, is_event);
	if (!update)
		return nx_fail(err, NX_FORMAT, "expected a wait (>=3) or an update (++@complete)");
	m.update[0] = update->code;
	m.update[1] = (uint8_t)index;
	status = read_mode_value(r, update, m.update_value, err);
	if (status)
		return status;
	if (nx_cursor_take(&r->cursor, "@complete"))
		m.update[0] |= NX_UPDATE_ON_COMPLETION;
	else if (!nx_cursor_take(&r->cursor, "@read"))
		return nx_fail(err, NX_FORMAT, "expected @complete or @read");
	return NX_OK;
}

bool nx_instruction_try_meeting(struct nx_instruction_reader *r, bool is_body,
				enum nx_status *status, struct nx_error *err)
{
	uint8_t *s = r->slot;
	struct meeting m = {s + 4, s + 6, s + HEADER_VALUE_AT, s + HEADER_VALUE_AT};

	if (is_body)
		m = (struct meeting){s + 32, s + 34, s + 36, s + 40};
	if (nx_cursor_take(&r->cursor, "S[") || nx_cursor_take(&r->cursor, "$S["))
		*status = read_meeting(r, m, false, err);
	else if (nx_cursor_take(&r->cursor, "$E["))
		*status = read_meeting(r, m, true, err);
	else if (nx_cursor_take(&r->cursor, "?w"))
		*status = read_unknown_mode(r, m, true, err);
	else if (nx_cursor_take(&r->cursor, "?u"))
		*status = read_unknown_mode(r, m, false, err);
	else
		return false;
	return true;
}
