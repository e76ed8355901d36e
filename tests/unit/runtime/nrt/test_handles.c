/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "runtime/nrt/handles.h"

struct thing {
	struct nx_object object;
	int *destroyed;
};

static void destroy(struct nx_object *object)
{
	struct thing *thing = (struct thing *)object;

	++*thing->destroyed;
	free(thing);
}

static void *make(enum nx_handle_kind kind, int *destroyed)
{
	struct thing *thing = calloc(1, sizeof(*thing));
	void *handle;

	thing->destroyed = destroyed;
	handle = nx_handle_new(&thing->object, kind, destroy);
	assert_non_null(handle);
	return handle;
}

static void a_handle_leads_to_its_object(void **state)
{
	int destroyed = 0;
	void *handle = make(NX_HANDLE_TENSOR, &destroyed);
	struct thing *thing = nx_handle_acquire(handle, NX_HANDLE_TENSOR);

	(void)state;
	assert_non_null(thing);
	assert_ptr_equal(thing->object.handle, handle);
	nx_object_drop(&thing->object);
	assert_null(nx_handle_acquire(handle, NX_HANDLE_MODEL)); /* of another kind */
	nx_object_drop(nx_handle_close(handle, NX_HANDLE_TENSOR));
	assert_int_equal(destroyed, 1);
}

static void a_closed_handle_is_none(void **state)
{
	int destroyed = 0;
	void *handle = make(NX_HANDLE_TENSOR, &destroyed), *newer;

	(void)state;
	nx_object_drop(nx_handle_close(handle, NX_HANDLE_TENSOR));
	assert_null(nx_handle_acquire(handle, NX_HANDLE_TENSOR));
	assert_null(nx_handle_close(handle, NX_HANDLE_TENSOR));
	newer = make(NX_HANDLE_TENSOR, &destroyed); /* takes the same entry */
	assert_ptr_not_equal(newer, handle);
	assert_null(nx_handle_acquire(handle, NX_HANDLE_TENSOR));
	nx_object_drop(nx_handle_close(newer, NX_HANDLE_TENSOR));
	assert_int_equal(destroyed, 2);
}

static void foreign_pointers_are_refused(void **state)
{
	uintptr_t values[] = {
		0, 1, 15, 16, 4096, UINTPTR_MAX, (uintptr_t)&values, (uintptr_t)destroy};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_null(nx_handle_acquire((void *)values[i], NX_HANDLE_TENSOR));
}

static void an_object_in_use_outlives_its_handle(void **state)
{
	int destroyed = 0;
	void *handle = make(NX_HANDLE_MODEL, &destroyed);
	struct thing *used = nx_handle_acquire(handle, NX_HANDLE_MODEL);

	(void)state;
	nx_object_drop(nx_handle_close(handle, NX_HANDLE_MODEL));
	assert_int_equal(destroyed, 0);
	nx_object_drop(used);
	assert_int_equal(destroyed, 1);
	nx_object_drop(NULL);
}

static void all_are_closed(void **state)
{
	int tensors = 0, models = 0;
	void *model = make(NX_HANDLE_MODEL, &models);

	(void)state;
	for (int i = 0; i < 1000; i++)
		make(NX_HANDLE_TENSOR, &tensors);
	nx_handle_close_all();
	assert_int_equal(tensors, 1000);
	assert_int_equal(models, 1);
	assert_null(nx_handle_acquire(model, NX_HANDLE_MODEL));
}

static void *use_handles(void *argument)
{
	int destroyed = 0;

	for (int i = 0; i < 2000; i++) {
		void *handle = make(NX_HANDLE_TENSOR, &destroyed);
		struct thing *thing = nx_handle_acquire(handle, NX_HANDLE_TENSOR);

		nx_object_drop(nx_handle_close(handle, NX_HANDLE_TENSOR));
		nx_object_drop(&thing->object);
	}
	*(int *)argument = destroyed;
	return NULL;
}

static void threads_may_share_the_table(void **state)
{
	pthread_t threads[4];
	int destroyed[4] = {0};

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_handles, &destroyed[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(destroyed[i], 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_handle_leads_to_its_object),
		cmocka_unit_test(a_closed_handle_is_none),
		cmocka_unit_test(foreign_pointers_are_refused),
		cmocka_unit_test(an_object_in_use_outlives_its_handle),
		cmocka_unit_test(all_are_closed),
		cmocka_unit_test(threads_may_share_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
