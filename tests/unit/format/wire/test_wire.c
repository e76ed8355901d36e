/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "format/wire.h"

struct leaf {
	uint64_t a, b;
};

static const struct nx_wire_field leaf_fields[] = {
	NX_FIELD_U64(1, leaf, a),
	NX_FIELD_U64(2, leaf, b),
};
static const struct nx_wire_message leaf_message = NX_WIRE_MESSAGE_OF(leaf, "leaf");

/* Every kind, single and repeated, with a gap in the numbers and one of two bytes. */
struct sample {
	uint64_t u;
	int64_t i;
	bool flag;
	float f;
	double d;
	struct nx_slice text;
	struct leaf leaf;
	bool has_leaf;
	NX_WIRE_LIST(uint64_t) us;
	NX_WIRE_LIST(bool) flags;
	NX_WIRE_LIST(float) fs;
	NX_WIRE_LIST(double) ds;
	NX_WIRE_LIST(struct nx_slice) texts;
	NX_WIRE_LIST(struct leaf) leaves;
	struct leaf far;
	bool has_far;
};

static const struct nx_wire_field sample_fields[] = {
	NX_FIELD_U64(1, sample, u),
	NX_FIELD_I64(2, sample, i),
	NX_FIELD_BOOL(3, sample, flag),
	NX_FIELD_F32(4, sample, f),
	NX_FIELD_F64(5, sample, d),
	NX_FIELD_TEXT(6, sample, text),
	NX_FIELD_MESSAGE(8, sample, leaf, leaf),
	NX_FIELD_LIST_U64(9, sample, us),
	NX_WIRE_LINE(10, sample, flags, NX_WIRE_BOOL, .repeated = true),
	NX_WIRE_LINE(11, sample, fs, NX_WIRE_F32, .repeated = true),
	NX_WIRE_LINE(12, sample, ds, NX_WIRE_F64, .repeated = true),
	NX_FIELD_LIST_TEXT(13, sample, texts),
	NX_FIELD_LIST(14, sample, leaves, leaf),
	NX_FIELD_MESSAGE(100, sample, far, leaf),
};
static const struct nx_wire_message sample_message = NX_WIRE_MESSAGE_OF(sample, "sample");

struct state {
	struct nx_arena arena;
	struct nx_wire_loss loss;
	struct nx_error err;
	struct sample out;
};

static struct state s;

static int reset(void **unused)
{
	(void)unused;
	nx_arena_release(&s.arena);
	s = (struct state){0};
	return 0;
}

static enum nx_status decode(const void *bytes, size_t len)
{
	s.loss = (struct nx_wire_loss){0};
	memset(&s.out, 0xee, sizeof(s.out));
	return nx_wire_decode(&sample_message, nx_slice_of(bytes, len), &s.out, &s.arena, &s.loss,
			      &s.err);
}

#define DECODE(...) decode((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void assert_no_loss(void)
{
	assert_int_equal(s.loss.unknown_field_count, 0);
	assert_int_equal(s.loss.wrong_type_count, 0);
	assert_int_equal(s.loss.truncated_count, 0);
}

static void test_single_values(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x08, 0x96, 0x01, /* u = 150 */
				0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
				0x18, 0x02,			    /* flag */
				0x25, 0x00, 0x00, 0xc0, 0x3f,	    /* f = 1.5 */
				0x29, 0, 0, 0, 0, 0, 0, 0x04, 0xc0, /* d = -2.5 */
				0x32, 2, 'h', 'i',		    /* text */
				0x42, 2, 0x10, 7,		    /* leaf.b = 7 */
				0xa2, 0x06, 2, 0x08, 9),	    /* far.a = 9 */
			 NX_OK);
	assert_int_equal(s.out.u, 150);
	assert_int_equal(s.out.i, -1);
	assert_true(s.out.flag);
	assert_true(s.out.f == 1.5f);
	assert_true(s.out.d == -2.5);
	assert_true(nx_slice_is(s.out.text, "hi"));
	assert_true(s.out.has_leaf);
	assert_int_equal(s.out.leaf.a, 0);
	assert_int_equal(s.out.leaf.b, 7);
	assert_int_equal(s.out.far.a, 9);
	assert_int_equal(s.out.us.count, 0);
	assert_null(s.out.us.items);
	assert_no_loss();
}

static void test_empty_input_is_an_empty_message(void **unused)
{
	(void)unused;
	assert_int_equal(decode(NULL, 0), NX_OK);
	assert_int_equal(s.out.u, 0);
	assert_false(s.out.has_leaf);
	assert_int_equal(s.out.leaves.count, 0);
	assert_no_loss();
	assert_int_equal(s.arena.used_bytes, 0);
}

static void test_last_single_value_wins(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x08, 1, 0x08, 2, 0x42, 2, 0x08, 5, 0x42, 2, 0x10, 6), NX_OK);
	assert_int_equal(s.out.u, 2);
	assert_int_equal(s.out.leaf.a, 0);
	assert_int_equal(s.out.leaf.b, 6);
	assert_no_loss();
}

static void test_lists_mix_packed_and_single(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x48, 1,			    /* us: 1 */
				0x4a, 3, 0xac, 0x02, 3,		    /* 300, 3 */
				0x72, 2, 0x08, 1,		    /* leaves[0].a = 1 */
				0x48, 4,			    /* 4 */
				0x4a, 0,			    /* nothing */
				0x52, 2, 0, 5, 0x50, 1,		    /* flags */
				0x5a, 4, 0, 0, 0x80, 0x3f,	    /* fs: 1 */
				0x5d, 0, 0, 0, 0x40,		    /* 2 */
				0x61, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, /* ds: 1 */
				0x62, 8, 0, 0, 0, 0, 0, 0, 0, 0x40, /* 2 */
				0x6a, 0, 0x6a, 1, 'x', 0x72, 0),    /* texts, leaves[1] */
			 NX_OK);
	assert_no_loss();
	assert_int_equal(s.out.us.count, 4);
	assert_int_equal(s.out.us.items[0], 1);
	assert_int_equal(s.out.us.items[1], 300);
	assert_int_equal(s.out.us.items[2], 3);
	assert_int_equal(s.out.us.items[3], 4);
	assert_int_equal(s.out.flags.count, 3);
	assert_false(s.out.flags.items[0]);
	assert_true(s.out.flags.items[1]);
	assert_true(s.out.flags.items[2]);
	assert_int_equal(s.out.fs.count, 2);
	assert_true(s.out.fs.items[0] == 1 && s.out.fs.items[1] == 2);
	assert_int_equal(s.out.ds.count, 2);
	assert_true(s.out.ds.items[0] == 1 && s.out.ds.items[1] == 2);
	assert_int_equal(s.out.texts.count, 2);
	assert_int_equal(s.out.texts.items[0].len, 0);
	assert_true(nx_slice_is(s.out.texts.items[1], "x"));
	assert_int_equal(s.out.leaves.count, 2);
	assert_int_equal(s.out.leaves.items[0].a, 1);
	assert_int_equal(s.out.leaves.items[1].a, 0);
}

static void test_unknown_fields_are_counted(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x42, 4, 0x18, 1, 0x08, 2,	      /* leaf: 3 is unknown */
				0x38, 1,			      /* 7, the gap */
				0xfa, 0xff, 0xff, 0xff, 0x0f, 1, 'x', /* largest number */
				0x08, 3),
			 NX_OK);
	assert_int_equal(s.loss.unknown_field_count, 3);
	assert_int_equal(s.loss.first_unknown_number, 3);
	assert_string_equal(s.loss.first_unknown_message, "leaf");
	assert_int_equal(s.loss.wrong_type_count, 0);
	assert_int_equal(s.out.leaf.a, 2);
	assert_int_equal(s.out.u, 3);
}

static void test_wrong_wire_types_are_counted(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x0a, 1, 5,	  /* u as bytes */
				0x0d, 1, 0, 0, 0, /* u as fixed32 */
				0x30, 1,	  /* text as varint */
				0x40, 1,	  /* leaf as varint */
				0x20, 1,	  /* f as varint */
				0x4d, 1, 0, 0, 0, /* us as fixed32 */
				0x70, 1,	  /* leaves as varint */
				0x10, 1),
			 NX_OK);
	assert_int_equal(s.loss.wrong_type_count, 7);
	assert_int_equal(s.loss.unknown_field_count, 0);
	assert_int_equal(s.out.u, 0);
	assert_int_equal(s.out.i, 1);
	assert_int_equal(s.out.us.count, 0);
	assert_int_equal(s.out.leaves.count, 0);
	assert_false(s.out.has_leaf);
}

static void test_loss_adds_up_and_may_be_null(void **unused)
{
	static const uint8_t bytes[] = {0x38, 1};

	(void)unused;
	for (int i = 0; i < 2; i++)
		assert_int_equal(nx_wire_decode(&sample_message, nx_slice_of(bytes, sizeof(bytes)),
						&s.out, &s.arena, &s.loss, &s.err),
				 NX_OK);
	assert_int_equal(s.loss.unknown_field_count, 2);
	assert_int_equal(nx_wire_decode(&sample_message, nx_slice_of(bytes, sizeof(bytes)), &s.out,
					&s.arena, NULL, &s.err),
			 NX_OK);
}

static void test_impossible_bytes_end_the_message(void **unused)
{
	static const uint8_t bad[][12] = {
		{0x08, 1, 0x00, 0},			    /* field 0 */
		{0x08, 1, 0x0b, 0},			    /* group start */
		{0x08, 1, 0x0c, 0},			    /* group end */
		{0x08, 1, 0x0e, 0},			    /* wire type 6 */
		{0x08, 1, 0x0f, 0},			    /* wire type 7 */
		{0x08, 1, 0x80, 0x80, 0x80, 0x80, 0x10, 1}, /* number 2^29 */
		{0x08, 1, 0x32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		{0x08, 1, 0x32, 9, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(decode(bad[i], sizeof(bad[i])), NX_OK);
		assert_int_equal(s.out.u, 1);
		assert_int_equal(s.out.text.len, 0);
		assert_int_equal(s.loss.truncated_count, 1);
		s.err = (struct nx_error){0};
		assert_int_equal(decode(bad[i] + 2, sizeof(bad[i]) - 2), NX_FORMAT);
		assert_non_null(strstr(s.err.message, "sample"));
	}
}

static void test_varint_is_ten_bytes_at_most(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
			 NX_OK);
	assert_true(s.out.u == UINT64_MAX);
	assert_int_equal(DECODE(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0),
			 NX_OK);
	assert_int_equal(s.out.u, 0);
	assert_int_equal(DECODE(0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
				0),
			 NX_FORMAT);
}

static void test_damaged_packed_lists_keep_their_start(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x4a, 3, 1, 2, 0x80, 0x08, 5), NX_OK);
	assert_int_equal(s.out.us.count, 2);
	assert_int_equal(s.out.u, 5);
	assert_int_equal(s.loss.truncated_count, 1);
	assert_int_equal(DECODE(0x5a, 6, 0, 0, 0x80, 0x3f, 1, 2), NX_OK);
	assert_int_equal(s.out.fs.count, 1);
	assert_int_equal(s.loss.truncated_count, 1);
	/* One varint of 12 bytes, then more: nothing behind it can be trusted. */
	assert_int_equal(DECODE(0x4a, 15, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
				0x80, 0x80, 1, 8, 9),
			 NX_OK);
	assert_int_equal(s.out.us.count, 1);
	assert_int_equal(s.out.us.items[0], 7);
	assert_int_equal(s.loss.truncated_count, 1);
}

static void test_nested_damage_stays_inside(void **unused)
{
	(void)unused;
	assert_int_equal(DECODE(0x72, 3, 0x08, 1, 0x10, 0x72, 2, 0x08, 2, 0x72, 1, 0xff, 0x08, 3),
			 NX_OK);
	assert_int_equal(s.loss.truncated_count, 2);
	assert_int_equal(s.out.leaves.count, 3);
	assert_int_equal(s.out.leaves.items[0].a, 1);
	assert_int_equal(s.out.leaves.items[1].a, 2);
	assert_int_equal(s.out.leaves.items[2].a, 0);
	assert_int_equal(s.out.u, 3);
}

/* Fields of 2, 4, 5, 4 and 3 bytes; copies of exact size let a sanitizer see any overread. */
static void test_cut_at_every_length(void **unused)
{
	static const uint8_t whole[] = {0x08, 7, 0x42, 2, 0x08, 1, 0x4a, 3, 0x81,
					0x01, 5, 0x72, 2, 0x10, 2, 0x6a, 1, 'x'};
	static const size_t ends[] = {0, 2, 6, 11, 15, 18};

	(void)unused;
	for (size_t len = 1; len <= sizeof(whole); len++) {
		uint8_t *copy = nx_heap_alloc(len);
		size_t fields = 0;

		memcpy(copy, whole, len);
		while (fields < 5 && ends[fields + 1] <= len)
			fields++;
		assert_int_equal(decode(copy, len), fields ? NX_OK : NX_FORMAT);
		assert_int_equal(s.loss.truncated_count, fields && len != ends[fields]);
		assert_int_equal(s.out.u, fields >= 1 ? 7 : 0);
		assert_int_equal(s.out.has_leaf, fields >= 2);
		assert_int_equal(s.out.us.count, fields >= 3 ? 2 : 0);
		assert_int_equal(s.out.leaves.count, fields >= 4);
		assert_int_equal(s.out.texts.count, fields >= 5);
		nx_heap_free(copy);
	}
}

/* --- limits ------------------------------------------------------------------ */

struct tree {
	NX_WIRE_LIST(struct tree) children;
	uint64_t mark;
};

static const struct nx_wire_message tree_message;
static const struct nx_wire_field tree_fields[] = {
	NX_FIELD_LIST(1, tree, children, tree),
	NX_FIELD_U64(2, tree, mark),
};
static const struct nx_wire_message tree_message = NX_WIRE_MESSAGE_OF(tree, "tree");

/* The bytes of a chain of that many messages, the innermost with mark = 1. */
static void make_chain(struct nx_bytes *bytes, unsigned levels)
{
	struct nx_bytes outer = {0};

	nx_vec_clear(bytes);
	nx_wire_put_u64(bytes, 2, 1);
	for (unsigned i = 1; i < levels; i++) {
		nx_vec_clear(&outer);
		nx_wire_put_bytes(&outer, 1, nx_slice_of(bytes->items, bytes->len));
		nx_vec_clear(bytes);
		nx_bytes_append(bytes, outer.items, outer.len);
	}
	nx_vec_release(&outer);
}

static void test_nesting_ends_at_64(void **unused)
{
	struct nx_bytes bytes = {0}, again = {0};
	struct tree tree;
	const struct tree *at = &tree;

	(void)unused;
	make_chain(&bytes, 64);
	assert_int_equal(nx_wire_decode(&tree_message, nx_slice_of(bytes.items, bytes.len), &tree,
					&s.arena, &s.loss, &s.err),
			 NX_OK);
	for (int i = 1; i < 64; i++)
		at = at->children.items;
	assert_int_equal(at->mark, 1);
	nx_wire_encode(&tree_message, &tree, &again);
	assert_true(nx_slice_equal(nx_slice_of(bytes.items, bytes.len),
				   nx_slice_of(again.items, again.len)));
	make_chain(&bytes, 65);
	assert_int_equal(nx_wire_decode(&tree_message, nx_slice_of(bytes.items, bytes.len), &tree,
					&s.arena, &s.loss, &s.err),
			 NX_FORMAT);
	assert_non_null(strstr(s.err.message, "64"));
	nx_vec_release(&bytes);
	nx_vec_release(&again);
}

struct huge {
	uint64_t mark;
	uint8_t rest[32 * 1024 - 8];
};

static const struct nx_wire_field huge_fields[] = {NX_FIELD_U64(1, huge, mark)};
static const struct nx_wire_message huge_message = NX_WIRE_MESSAGE_OF(huge, "huge");

struct huges {
	NX_WIRE_LIST(struct huge) items;
};

static const struct nx_wire_field huges_fields[] = {NX_FIELD_LIST(1, huges, items, huge)};
static const struct nx_wire_message huges_message = NX_WIRE_MESSAGE_OF(huges, "huges");

/* 64 MiB + 128 per byte: n items of 2 bytes and 32 KiB fit while n * (32768 - 256) <= 64 MiB. */
static void test_empty_messages_cannot_eat_memory(void **unused)
{
	struct nx_bytes bytes = {0};
	struct huges out;

	(void)unused;
	for (int i = 0; i < 2064; i++)
		nx_wire_put_bytes(&bytes, 1, (struct nx_slice){0});
	assert_int_equal(nx_wire_decode(&huges_message, nx_slice_of(bytes.items, bytes.len), &out,
					&s.arena, &s.loss, &s.err),
			 NX_OK);
	assert_int_equal(out.items.count, 2064);
	nx_arena_release(&s.arena);
	s.arena = (struct nx_arena){0};
	nx_wire_put_bytes(&bytes, 1, (struct nx_slice){0});
	assert_int_equal(nx_wire_decode(&huges_message, nx_slice_of(bytes.items, bytes.len), &out,
					&s.arena, &s.loss, &s.err),
			 NX_LIMIT);
	assert_int_equal(s.arena.used_bytes, 0);
	assert_non_null(strstr(s.err.message, "items"));
	nx_vec_release(&bytes);
}

/* --- encoding ---------------------------------------------------------------- */

static void assert_encodes(const struct sample *in, const void *want, size_t len)
{
	struct nx_bytes bytes = {0};

	nx_bytes_append(&bytes, "#", 1);
	nx_wire_encode(&sample_message, in, &bytes);
	assert_int_equal(bytes.len, len + 1);
	assert_memory_equal(bytes.items + 1, want, len);
	nx_vec_release(&bytes);
}

static void test_encode_exact_bytes(void **unused)
{
	static const uint8_t want[] = {
		0x08, 0x80, 0x01,					       /* u */
		0x10, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, /* i */
		0x18, 1,						       /* flag */
		0x25, 0,    0,	  0,	0x80,				       /* f = -0 */
		0x32, 1,    'x',					       /* text */
		0x42, 0,						       /* leaf, empty */
		0x4a, 3,    0,	  0xac, 2,				       /* us, packed */
		0x52, 2,    1,	  0,					       /* flags */
		0x6a, 0,						       /* texts */
		0x72, 0,    0x72, 2,	0x08, 1,			       /* leaves */
		0xa2, 6,    0,						       /* far, empty */
	};
	uint64_t us[] = {0, 300};
	bool flags[] = {true, false};
	struct nx_slice texts[1] = {{0}};
	struct leaf leaves[] = {{0}, {.a = 1}};
	struct sample in = {
		.u = 128, .i = -2, .flag = true, .f = -0.0f, .has_leaf = true, .has_far = true};

	(void)unused;
	in.text = nx_slice_text("x");
	in.us.items = us;
	in.us.count = 2;
	in.flags.items = flags;
	in.flags.count = 2;
	in.texts.items = texts;
	in.texts.count = 1;
	in.leaves.items = leaves;
	in.leaves.count = 2;
	assert_encodes(&in, want, sizeof(want));
}

static void test_encode_leaves_zeros_out(void **unused)
{
	struct sample in = {.leaf = {.a = 5}}; /* absent, whatever it holds */

	(void)unused;
	assert_encodes(&in, "", 0);
}

/* Lengths around the places where their varint grows. */
static void test_encode_long_bodies(void **unused)
{
	static const size_t lens[] = {1, 127, 128, 129, 16383, 16384, 300000};
	struct nx_bytes bytes = {0};
	struct sample in = {0};

	(void)unused;
	in.us.items = NX_NEW_ARRAY(&s.arena, uint64_t, 300000);
	for (size_t i = 0; i < 300000; i++)
		in.us.items[i] = i % 128;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		in.us.count = lens[i];
		nx_vec_clear(&bytes);
		nx_wire_encode(&sample_message, &in, &bytes);
		assert_int_equal(decode(bytes.items, bytes.len), NX_OK);
		assert_no_loss();
		assert_int_equal(s.out.us.count, lens[i]);
		assert_memory_equal(s.out.us.items, in.us.items, 8 * lens[i]);
	}
	nx_vec_release(&bytes);
}

/* --- by hand ------------------------------------------------------------------- */

static void test_reader_by_hand(void **unused)
{
	static const uint8_t bytes[] = {0x08, 5, 0x12, 2, 'o', 'k', 0x1d, 1, 0, 0,   0,
					0x21, 2, 0,    0, 0,   0,   0,	  0, 0, 0x28};
	struct nx_wire_reader reader = nx_wire_reader_of(nx_slice_of(bytes, sizeof(bytes)));
	struct nx_wire_value value;

	(void)unused;
	assert_true(nx_wire_next(&reader, &value));
	assert_int_equal(value.number, 1);
	assert_int_equal(value.wire_type, 0);
	assert_int_equal(value.integer, 5);
	assert_true(nx_wire_next(&reader, &value));
	assert_int_equal(value.number, 2);
	assert_true(nx_slice_is(value.bytes, "ok"));
	assert_true(nx_wire_next(&reader, &value));
	assert_int_equal(value.wire_type, 5);
	assert_int_equal(value.integer, 1);
	assert_true(nx_wire_next(&reader, &value));
	assert_int_equal(value.wire_type, 1);
	assert_int_equal(value.integer, 2);
	assert_false(reader.failed);
	assert_false(nx_wire_next(&reader, &value));
	assert_true(reader.failed);
	assert_false(nx_wire_next(&reader, &value));
}

static void test_varints_by_hand(void **unused)
{
	static const uint8_t want[] = {0,    0x7f, 0x80, 1,    0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
	struct nx_bytes bytes = {0};
	struct nx_wire_reader reader;
	uint64_t value;

	(void)unused;
	nx_wire_put_varint(&bytes, 0);
	nx_wire_put_varint(&bytes, 127);
	nx_wire_put_varint(&bytes, 128);
	nx_wire_put_varint(&bytes, UINT64_MAX);
	assert_int_equal(bytes.len, sizeof(want));
	assert_memory_equal(bytes.items, want, sizeof(want));
	reader = nx_wire_reader_of(nx_slice_of(bytes.items, bytes.len));
	assert_true(nx_wire_next_varint(&reader, &value) && value == 0);
	assert_true(nx_wire_next_varint(&reader, &value) && value == 127);
	assert_true(nx_wire_next_varint(&reader, &value) && value == 128);
	assert_true(nx_wire_next_varint(&reader, &value) && value == UINT64_MAX);
	assert_false(nx_wire_next_varint(&reader, &value));
	assert_false(reader.failed);
	nx_vec_release(&bytes);
}

static void test_put_by_hand(void **unused)
{
	static const uint8_t want[] = {0x08, 0, 0x80, 0x01, 0xac, 0x02, 0x12, 0, 0x1a, 2, 'o', 'k'};
	struct nx_bytes bytes = {0};

	(void)unused;
	nx_wire_put_u64(&bytes, 1, 0);
	nx_wire_put_u64(&bytes, 16, 300);
	nx_wire_put_bytes(&bytes, 2, (struct nx_slice){0});
	nx_wire_put_bytes(&bytes, 3, nx_slice_text("ok"));
	assert_int_equal(bytes.len, sizeof(want));
	assert_memory_equal(bytes.items, want, sizeof(want));
	nx_vec_release(&bytes);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, reset, reset)

/* One byte, up to eight at once, and longer; with bytes behind them, and at the end. */
static void test_varints_of_every_length(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits <= 64; bits++)
		for (unsigned behind = 0; behind < 12; behind++) {
			uint64_t value = bits ? UINT64_MAX >> (64 - bits) : 0, seen = 0;
			struct nx_bytes bytes = {0};
			struct nx_wire_reader reader;
			struct nx_wire_value field;
			size_t len;

			nx_wire_put_u64(&bytes, 3, value);
			len = bytes.len;
			for (unsigned i = 0; i < behind; i++)
				nx_vec_push(&bytes, 0xff);
			reader = nx_wire_reader_of(nx_slice_of(bytes.items, bytes.len));
			assert_true(nx_wire_next(&reader, &field));
			assert_true(field.number == 3 && field.integer == value);
			assert_ptr_equal(reader.at, bytes.items + len);
			reader = nx_wire_reader_of(nx_slice_of(bytes.items + 1, len - 1));
			assert_true(nx_wire_next_varint(&reader, &seen) && seen == value);
			reader = nx_wire_reader_of(nx_slice_of(bytes.items, len - 1)); /* cut */
			assert_false(nx_wire_next(&reader, &field));
			assert_true(reader.failed);
			nx_vec_release(&bytes);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_single_values),
		TEST(test_empty_input_is_an_empty_message),
		TEST(test_last_single_value_wins),
		TEST(test_lists_mix_packed_and_single),
		TEST(test_unknown_fields_are_counted),
		TEST(test_wrong_wire_types_are_counted),
		TEST(test_loss_adds_up_and_may_be_null),
		TEST(test_impossible_bytes_end_the_message),
		TEST(test_varint_is_ten_bytes_at_most),
		TEST(test_damaged_packed_lists_keep_their_start),
		TEST(test_nested_damage_stays_inside),
		TEST(test_cut_at_every_length),
		TEST(test_nesting_ends_at_64),
		TEST(test_empty_messages_cannot_eat_memory),
		TEST(test_encode_exact_bytes),
		TEST(test_encode_leaves_zeros_out),
		TEST(test_encode_long_bodies),
		TEST(test_reader_by_hand),
		TEST(test_varints_by_hand),
		TEST(test_put_by_hand),
		TEST(test_varints_of_every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
