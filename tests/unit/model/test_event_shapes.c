/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "model/event_shapes.h"
#include "tests/unit/system_fixture.h"

#define TEXT(text)                                                                                 \
	{                                                                                          \
		(const uint8_t *)(text), sizeof(text) - 1                                          \
	}

static void a_shape_is_copied_and_numbered(void **state)
{
	struct nx_slice recorded[] = {TEXT("nc_idx"), TEXT("size"), TEXT("size")};
	struct nx_slice keys[] = {TEXT("size")};
	uint8_t places[] = {NX_NOT_SHOWN, 0, 0};
	struct nx_event_shape shape = {.recorded = recorded,
				       .places = places,
				       .start_count = 2,
				       .stop_count = 1,
				       .count = 1,
				       .keys = keys};
	struct nx_event_shapes shapes = {0};
	const struct nx_event_shape *copy;

	(void)state;
	assert_int_equal(nx_event_shapes_add(&shapes, &shapes.kinds[0], &shape)->idx, 0);
	copy = nx_event_shapes_add(&shapes, &shapes.kinds[1], &shape);
	memset(places, 9, sizeof(places));
	keys[0] = recorded[0] = nx_slice_text("gone");
	assert_int_equal(copy->idx, 1);
	assert_ptr_equal(shapes.kinds[1].shapes[0], copy);
	assert_true(nx_slice_is(copy->recorded[0], "nc_idx"));
	assert_int_equal(copy->places[0], NX_NOT_SHOWN);
	assert_int_equal(copy->places[2], 0);
	assert_int_equal(nx_event_shape_find(copy, "size"), 0);
	assert_int_equal(nx_event_shape_find(copy, "gone"), 1);
	nx_event_shapes_release(&shapes);
	assert_int_equal(shapes.count, 0);
}

static void a_kind_has_few_shapes_and_all_have_a_bound(void **state)
{
	static const struct nx_event_shape none;
	struct nx_event_shapes shapes = {0};
	uint32_t added = 0;

	(void)state;
	for (size_t kind = 0; kind < NX_SHAPE_KINDS; kind++)
		for (size_t i = 0; i <= NX_SHAPES_PER_KIND; i++)
			added += nx_event_shapes_add(&shapes, &shapes.kinds[kind], &none) != NULL;
	assert_int_equal(added, NX_MAX_SHAPES);
	assert_int_equal(shapes.count, NX_MAX_SHAPES);
	assert_int_equal(shapes.kinds[0].count, NX_SHAPES_PER_KIND);
	assert_int_equal(shapes.kinds[NX_SHAPE_KINDS - 1].count, 0);
	nx_event_shapes_release(&shapes);
}

static void types_and_flags_have_kinds_of_their_own(void **state)
{
	struct nx_system_event a = {.type = 3}, b = {.type = 4}, c = {.type = UINT32_MAX};
	struct nx_system_event instant = {.type = 3, .flags = NX_EVENT_INSTANT};
	struct nx_event_shapes shapes = {0};

	(void)state;
	assert_ptr_not_equal(nx_event_shapes_kind(&shapes, &a), nx_event_shapes_kind(&shapes, &b));
	assert_ptr_not_equal(nx_event_shapes_kind(&shapes, &a),
			     nx_event_shapes_kind(&shapes, &instant));
	assert_in_range(nx_event_shapes_kind(&shapes, &c) - shapes.kinds, 0, NX_SHAPE_KINDS - 1);
}

/* The fixture's source knows none, and tells of more attributes than it stores. */
static void a_source_without_shapes_is_read_all_the_same(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_event_shapes shapes = {0};
	struct nx_system_event event = {0};
	struct nx_read_attributes read;

	f->attributes[0][0] =
		(struct nx_event_attribute){nx_slice_text("size"), nx_slice_text("16")};
	f->attribute_counts[0] = 1;
	nx_system_read_attributes(&f->p, &event, &shapes, &read);
	assert_null(read.shape);
	assert_int_equal(read.count, 1);
	assert_true(nx_slice_is(read.items[0].value, "16"));
	nx_event_shapes_release(&shapes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shape_is_copied_and_numbered),
		cmocka_unit_test(a_kind_has_few_shapes_and_all_have_a_bound),
		cmocka_unit_test(types_and_flags_have_kinds_of_their_own),
		cmocka_unit_test_setup_teardown(a_source_without_shapes_is_read_all_the_same,
						nx_system_fixture_setup,
						nx_system_fixture_teardown),
	};

	return cmocka_run_group_tests_name("model/event_shapes", tests, NULL, NULL);
}
