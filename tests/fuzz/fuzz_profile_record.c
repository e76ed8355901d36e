/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a profile.json. Memory stays proportional to the input, and what
 * was read reads back the same once it is written.
 */
#include "store/profile_name.h"
#include "store/profile_record.h"
#include "tests/fuzz/expect.h"

#define BYTES_PER_INPUT_BYTE 512
#define BYTES_FIXED 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes that are no UTF-8 are replaced by the first writing; from then on nothing changes. */
static void write_twice(const struct nx_profile_record *r)
{
	struct nx_arena arena = {0};
	struct nx_bytes once = {0}, twice = {0};
	struct nx_profile_record again;

	nx_profile_record_write(r, &once);
	expect(nx_profile_record_read(nx_slice_of(once.items, once.len), &arena, &again, NULL) ==
	       NX_OK);
	expect(again.state == r->state && again.kind == r->kind);
	expect(again.store_version == r->store_version && again.tables.len == r->tables.len);
	nx_profile_record_write(&again, &twice);
	expect_same_bytes(&once, &twice);
	nx_profile_record_release(&again);
	nx_vec_release(&once);
	nx_vec_release(&twice);
	nx_arena_release(&arena);
}

static void make_name(struct nx_slice text)
{
	char name[NX_PROFILE_NAME_MAX];

	nx_profile_name_make(text, name);
	expect(nx_profile_name_check_new(nx_slice_text(name), NULL) == NX_OK);
	if (nx_profile_name_check_new(text, NULL) == NX_OK)
		expect(nx_slice_is(text, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_arena arena = {0};
	struct nx_profile_record r;
	struct nx_error err = {0};
	enum nx_status st = nx_profile_record_read(nx_slice_of(data, size), &arena, &r, &err);

	expect(arena.used_bytes <= size * BYTES_PER_INPUT_BYTE + BYTES_FIXED);
	expect(!st || (err.status == st && err.message[0]));
	if (!st)
		write_twice(&r);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
	make_name(nx_slice_of(data, size));
	return 0;
}
