/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/runtime/nrt/nrt_fixture.h"

static nrt_tensor_t *allocate(nrt_tensor_placement_t placement, int core, size_t size)
{
	nrt_tensor_t *tensor;

	assert_int_equal(nrt_tensor_allocate(placement, core, size, "t", &tensor), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_get_size(tensor), size);
	return tensor;
}

static size_t used_bytes(uint32_t core)
{
	nrt_vnc_memory_stats_t stats;
	size_t size;

	assert_int_equal(nrt_get_vnc_memory_stats(core, &stats, sizeof(stats), &size), NRT_SUCCESS);
	return stats.bytes_used;
}

static void what_is_written_can_be_read(void **state)
{
	static const nrt_tensor_placement_t placements[] = {NRT_TENSOR_PLACEMENT_DEVICE,
							    NRT_TENSOR_PLACEMENT_HOST,
							    NRT_TENSOR_PLACEMENT_VIRTUAL};

	(void)state;
	for (int i = 0; i < 3; i++) {
		nrt_tensor_t *tensor = allocate(placements[i], i ? -1 : 1, 16);
		char got[8] = {0};

		assert_int_equal(nrt_tensor_write(tensor, "abcdef", 10, 6), NRT_SUCCESS);
		assert_int_equal(nrt_tensor_read(tensor, got, 8, 8), NRT_SUCCESS);
		assert_memory_equal(got, "\0\0abcdef", 8);
		assert_memory_equal((char *)nrt_tensor_get_va(tensor) + 10, "abc", 3);
		nrt_tensor_free(&tensor);
		assert_null(tensor);
	}
}

static void parts_outside_are_refused(void **state)
{
	nrt_tensor_t *tensor = allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 16);
	char bytes[32] = {0};

	(void)state;
	assert_int_equal(nrt_tensor_read(tensor, bytes, 0, 17), NRT_INVALID);
	assert_int_equal(nrt_tensor_read(tensor, bytes, 16, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_read(tensor, bytes, SIZE_MAX, 2), NRT_INVALID);
	assert_int_equal(nrt_tensor_write(tensor, bytes, 1, SIZE_MAX), NRT_INVALID);
	assert_int_equal(nrt_tensor_write(tensor, NULL, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_memset(tensor, 10, 1, 7), NRT_INVALID);
	assert_int_equal(nrt_tensor_read(tensor, bytes, 16, 0), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_memset(tensor, 10, 0x41, 6), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(tensor, bytes, 0, 16), NRT_SUCCESS);
	assert_memory_equal(bytes + 8, "\0\0AAAAAA", 8);
	nrt_tensor_free(&tensor);
}

static void wrong_places_are_refused(void **state)
{
	nrt_tensor_t *tensor;

	(void)state;
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 4, 1, "a", &tensor),
			 NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, -1, 1, "a", &tensor),
			 NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate((nrt_tensor_placement_t)7, 0, 1, "a", &tensor),
			 NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 1, NULL, NULL),
			 NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, -1, SIZE_MAX, "a", &tensor),
			 NRT_FAIL_HOST_MEM_ALLOC);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, (size_t)25 << 30, "a",
					     &tensor),
			 NRT_RESOURCE);
	assert_null(tensor);
	assert_int_equal(used_bytes(0), 0);
}

static void device_memory_is_counted(void **state)
{
	nrt_tensor_t *first = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 2, 1000);
	nrt_tensor_t *second = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 2, 24);
	nrt_tensor_device_allocation_info_t a, b;

	(void)state;
	assert_int_equal(used_bytes(2), 1024);
	assert_int_equal(used_bytes(1), 0);
	assert_int_equal(nrt_tensor_get_device_allocation_info(first, &a), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_get_device_allocation_info(second, &b), NRT_SUCCESS);
	assert_int_equal(a.size, 1000);
	assert_int_equal(a.hbm_index, 2);
	assert_true(b.physical_address >= a.physical_address + 1000);
	nrt_tensor_free(&first);
	assert_int_equal(used_bytes(2), 24);
	nrt_tensor_free(&second);
	assert_int_equal(used_bytes(2), 0);
	first = allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 8);
	assert_int_equal(nrt_tensor_get_device_allocation_info(first, &a), NRT_INVALID);
	nrt_tensor_free(&first);
}

static void a_slice_is_a_window(void **state)
{
	nrt_tensor_t *whole = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 100), *slice, *inner;
	char got[4];

	(void)state;
	assert_int_equal(nrt_tensor_allocate_slice(whole, 10, 20, NULL, &slice), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_allocate_slice(slice, 5, 4, "s", &inner), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_allocate_slice(slice, 10, 11, "s", &inner), NRT_INVALID);
	assert_int_equal(nrt_tensor_get_size(slice), 20);
	assert_int_equal(nrt_tensor_write(whole, "wxyz", 15, 4), NRT_SUCCESS);
	assert_int_equal(used_bytes(0), 100);
	nrt_tensor_free(&whole); /* the slices keep the storage */
	assert_int_equal(used_bytes(0), 100);
	assert_int_equal(nrt_tensor_allocate_slice(slice, 5, 4, "s", &inner), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(inner, got, 0, 4), NRT_SUCCESS);
	assert_memory_equal(got, "wxyz", 4);
	assert_int_equal(nrt_tensor_read(inner, got, 1, 4), NRT_INVALID);
	nrt_tensor_free(&slice);
	nrt_tensor_free(&inner);
}

static void a_buffer_can_be_attached(void **state)
{
	char mine[8] = "1234567", got[4];
	nrt_tensor_t *tensor;

	(void)state;
	assert_int_equal(nrt_tensor_allocate_empty("e", &tensor), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_get_size(tensor), 0);
	assert_null(nrt_tensor_get_va(tensor));
	assert_int_equal(nrt_tensor_read(tensor, got, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_attach_buffer(tensor, mine, sizeof(mine)), NRT_SUCCESS);
	assert_ptr_equal(nrt_tensor_get_va(tensor), mine);
	assert_int_equal(nrt_tensor_write(tensor, "ab", 1, 2), NRT_SUCCESS);
	assert_string_equal(mine, "1ab4567");
	assert_int_equal(nrt_tensor_attach_buffer(tensor, NULL, 8), NRT_INVALID);
	nrt_tensor_free(&tensor);
	assert_string_equal(mine, "1ab4567");
	/* what the tensor owned goes */
	tensor = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 3, 50);
	assert_int_equal(nrt_tensor_attach_buffer(tensor, mine, 4), NRT_SUCCESS);
	assert_int_equal(used_bytes(3), 0);
	nrt_tensor_free(&tensor);
}

static void tensors_are_copied_within_a_core(void **state)
{
	nrt_tensor_t *a = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8);
	nrt_tensor_t *b = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8);
	nrt_tensor_t *other = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 1, 8);
	nrt_tensor_t *host = allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 8);
	char got[8];

	(void)state;
	assert_int_equal(nrt_tensor_write(a, "abcdefgh", 0, 8), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_copy(a, 2, b, 4, 4), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(b, got, 0, 8), NRT_SUCCESS);
	assert_memory_equal(got, "\0\0\0\0cdef", 8);
	assert_int_equal(nrt_tensor_copy(a, 0, other, 0, 8), NRT_INVALID);
	assert_int_equal(nrt_tensor_copy(a, 0, host, 0, 8), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_copy(host, 0, other, 0, 8), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_copy(a, 4, b, 0, 5), NRT_INVALID);
	assert_int_equal(nrt_tensor_copy(a, 0, b, 4, 5), NRT_INVALID);
	assert_int_equal(nrt_tensor_copy(a, 0, NULL, 4, 5), NRT_INVALID);
	nrt_tensor_free(&a);
	nrt_tensor_free(&b);
	nrt_tensor_free(&other);
	nrt_tensor_free(&host);
}

static void a_batch_moves_all_or_nothing(void **state)
{
	nrt_tensor_t *a = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8);
	nrt_tensor_t *b = allocate(NRT_TENSOR_PLACEMENT_DEVICE, 1, 8);
	char x[4] = "wxyz", y[4] = "1234", got[4] = {0};
	nrt_tensor_t *empty;
	nrt_tensor_batch_op_t a_ops[] = {{0, 2, x}, {6, 2, x + 2}}, b_ops[] = {{4, 4, y}};
	nrt_tensor_batch_t batches[] = {{a, a_ops, 2}, {b, b_ops, 1}};

	(void)state;
	assert_int_equal(nrt_tensor_write_batch(batches, 2, false), NRT_SUCCESS);
	assert_memory_equal(nrt_tensor_get_va(a), "wx\0\0\0\0yz", 8);
	assert_memory_equal(nrt_tensor_get_va(b), "\0\0\0\0001234", 8);
	b_ops[0].offset = 5; /* does not fit: the first batch is not written either */
	x[0] = '!';
	assert_int_equal(nrt_tensor_write_batch(batches, 2, true), NRT_INVALID);
	assert_memory_equal(nrt_tensor_get_va(a), "wx", 2);
	b_ops[0] = (nrt_tensor_batch_op_t){4, 4, got};
	assert_int_equal(nrt_tensor_read_batch(batches + 1, 1, false), NRT_SUCCESS);
	assert_memory_equal(got, "1234", 4);
	b_ops[0].buffer = NULL;
	assert_int_equal(nrt_tensor_read_batch(batches, 2, false), NRT_INVALID);
	assert_int_equal(nrt_tensor_read_batch(NULL, 2, false), NRT_INVALID);
	assert_int_equal(nrt_tensor_read_batch(NULL, 0, false), NRT_SUCCESS);
	/* A batch without operations is harmless on a tensor without storage. */
	assert_int_equal(nrt_tensor_allocate_empty("e", &empty), NRT_SUCCESS);
	batches[0] = (nrt_tensor_batch_t){empty, NULL, 0};
	assert_int_equal(nrt_tensor_read_batch(batches, 1, false), NRT_SUCCESS);
	nrt_tensor_free(&empty);
	nrt_tensor_free(&a);
	nrt_tensor_free(&b);
}

static void sets_hold_tensors_by_name(void **state)
{
	nrt_tensor_t *a = allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 8), *b, *got, *gone;
	nrt_tensor_set_t *set;
	char longest[300];

	(void)state;
	b = allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 8);
	memset(longest, 'n', sizeof(longest));
	longest[299] = '\0';
	assert_int_equal(nrt_allocate_tensor_set(NULL), NRT_INVALID);
	assert_int_equal(nrt_allocate_tensor_set(&set), NRT_SUCCESS);
	assert_int_equal(nrt_get_tensor_from_tensor_set(set, "x", &got), NRT_INVALID);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, "x", a), NRT_SUCCESS);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, "y", b), NRT_SUCCESS);
	assert_int_equal(nrt_get_tensor_from_tensor_set(set, "x", &got), NRT_SUCCESS);
	assert_ptr_equal(got, a);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, "x", b), NRT_SUCCESS); /* replaces */
	assert_int_equal(nrt_get_tensor_from_tensor_set(set, "x", &got), NRT_SUCCESS);
	assert_ptr_equal(got, b);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, NULL, b), NRT_INVALID);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, longest, b), NRT_INVALID);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, "z", NULL), NRT_INVALID);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, "z", set), NRT_INVALID_HANDLE);
	gone = b;
	nrt_tensor_free(&b); /* freed too early: told, not crashed */
	assert_int_equal(nrt_get_tensor_from_tensor_set(set, "x", &got), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_tensor_get_size(gone), 0);
	nrt_destroy_tensor_set(&set);
	assert_null(set);
	nrt_tensor_free(&a);
}

static void *complete_later(void *argument)
{
	struct nx_fixture_run *run = argument;

	usleep(20000);
	assert_int_equal(nrt_execute(run->model, run->inputs, run->outputs), NRT_SUCCESS);
	return NULL;
}

static void completions_are_waited_for(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(0);
	pthread_t thread;

	(void)state;
	assert_int_equal(nrt_tensor_check_output_completion(run.output, 0, 0), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_check_output_completion(run.output, 1000, 1), NRT_TIMEOUT);
	assert_int_equal(nrt_tensor_check_output_completion(NULL, 0, 1), NRT_INVALID);
	assert_int_equal(pthread_create(&thread, NULL, complete_later, &run), 0);
	assert_int_equal(nrt_tensor_check_output_completion(run.output, -1, 1), NRT_SUCCESS);
	pthread_join(thread, NULL);
	assert_int_equal(nrt_tensor_check_output_completion(run.input, 0, 1), NRT_TIMEOUT);
	assert_int_equal(nrt_tensor_reset_output_completion(run.output), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_check_output_completion(run.output, 0, 1), NRT_TIMEOUT);
	assert_int_equal(nrt_tensor_reset_output_completion(NULL), NRT_INVALID);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, nx_fixture_begin, nx_fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_written_can_be_read),
		CASE(parts_outside_are_refused),
		CASE(wrong_places_are_refused),
		CASE(device_memory_is_counted),
		CASE(a_slice_is_a_window),
		CASE(a_buffer_can_be_attached),
		CASE(tensors_are_copied_within_a_core),
		CASE(a_batch_moves_all_or_nothing),
		CASE(sets_hold_tensors_by_name),
		CASE(completions_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
