/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call that takes a handle or a core, with each kind of wrong one. What calls say before
 * nrt_init and after nrt_close is in test_nrt_state.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <nrt/nrt_async.h>
#include <nrt/nrt_async_sendrecv.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <nrt/nrt_sys_trace.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/runtime/nrt/nrt_fixture.h"

static struct nx_fixture_run live; /* on core 0 */
static char buffer[64];
static void *out;
static size_t size;
static uint32_t u32;
static uint64_t seq;
static bool flag;
static unsigned fault_count; /* rows of a table that are not so; told all at once */

/* --- calls with a handle ------------------------------------------------------------------ */

static NRT_STATUS unload(void *h)
{
	return nrt_unload(h);
}

static NRT_STATUS get_model_nc_count(void *h)
{
	return nrt_get_model_nc_count(h, &u32);
}

static NRT_STATUS get_model_vnc_count(void *h)
{
	return nrt_get_model_vnc_count(h, &u32);
}

static NRT_STATUS get_model_instance_count(void *h)
{
	return nrt_get_model_instance_count(h, &u32);
}

static NRT_STATUS get_model_info(void *h)
{
	nrt_model_info_t info;

	return nrt_get_model_info(h, &info, sizeof(info), &size);
}

static NRT_STATUS get_model_tensor_info(void *h)
{
	return nrt_get_model_tensor_info(h, (nrt_tensor_info_array_t **)&out);
}

static NRT_STATUS execute(void *h)
{
	return nrt_execute(h, live.inputs, live.outputs);
}

static NRT_STATUS execute_repeat(void *h)
{
	return nrt_execute_repeat(h, live.inputs, live.outputs, 1);
}

static NRT_STATUS execute_schedule(void *h)
{
	return nrta_execute_schedule(h, live.inputs, live.outputs, 0, NULL, &seq);
}

static NRT_STATUS profile_start(void *h)
{
	return nrt_profile_start(h, "/tmp/never-written.ntff");
}

static NRT_STATUS execute_with_inputs(void *h)
{
	return nrt_execute(live.model, h, live.outputs);
}

static NRT_STATUS execute_with_outputs(void *h)
{
	return nrt_execute(live.model, live.inputs, h);
}

static NRT_STATUS add_to_set(void *h)
{
	return nrt_add_tensor_to_tensor_set(h, "a", live.input);
}

static NRT_STATUS get_from_set(void *h)
{
	return nrt_get_tensor_from_tensor_set(h, nx_fixture_input, (nrt_tensor_t **)&out);
}

static NRT_STATUS add_tensor(void *h)
{
	return nrt_add_tensor_to_tensor_set(live.inputs, "a", h);
}

static NRT_STATUS tensor_read(void *h)
{
	return nrt_tensor_read(h, buffer, 0, 1);
}

static NRT_STATUS tensor_write(void *h)
{
	return nrt_tensor_write(h, buffer, 0, 1);
}

static NRT_STATUS tensor_read_batch(void *h)
{
	nrt_tensor_batch_op_t op = {0, 1, buffer};
	nrt_tensor_batch_t batch = {h, &op, 1};

	return nrt_tensor_read_batch(&batch, 1, false);
}

static NRT_STATUS tensor_write_batch(void *h)
{
	nrt_tensor_batch_op_t op = {0, 1, buffer};
	nrt_tensor_batch_t batch = {h, &op, 1};

	return nrt_tensor_write_batch(&batch, 1, false);
}

static NRT_STATUS tensor_copy_from(void *h)
{
	return nrt_tensor_copy(h, 0, live.input, 0, 1);
}

static NRT_STATUS tensor_copy_to(void *h)
{
	return nrt_tensor_copy(live.input, 0, h, 0, 1);
}

static NRT_STATUS tensor_memset(void *h)
{
	return nrt_tensor_memset(h, 0, 0, 1);
}

static NRT_STATUS tensor_allocate_slice(void *h)
{
	return nrt_tensor_allocate_slice(h, 0, 1, "a", (nrt_tensor_t **)&out);
}

static NRT_STATUS tensor_attach_buffer(void *h)
{
	return nrt_tensor_attach_buffer(h, buffer, 1);
}

static NRT_STATUS tensor_allocation_info(void *h)
{
	nrt_tensor_device_allocation_info_t info;

	return nrt_tensor_get_device_allocation_info(h, &info);
}

static NRT_STATUS tensor_check_completion(void *h)
{
	return nrt_tensor_check_output_completion(h, 0, 0);
}

static NRT_STATUS tensor_reset_completion(void *h)
{
	return nrt_tensor_reset_output_completion(h);
}

static NRT_STATUS async_write(void *h)
{
	return nrta_tensor_write(h, buffer, 0, 1, 0, 0, NULL, &seq);
}

static NRT_STATUS async_read(void *h)
{
	return nrta_tensor_read(buffer, h, 0, 1, 0, 0, NULL, &seq);
}

static NRT_STATUS async_copy_from(void *h)
{
	return nrta_tensor_copy(h, 0, live.input, 0, 1, 0, 0, NULL, &seq);
}

static NRT_STATUS async_copy_to(void *h)
{
	return nrta_tensor_copy(live.input, 0, h, 0, 1, 0, 0, NULL, &seq);
}

static NRT_STATUS test_comm(void *h)
{
	return nrt_async_sendrecv_test_comm(h, &flag);
}

static NRT_STATUS test_request(void *h)
{
	return nrt_async_sendrecv_test_request(h, &flag, &size);
}

static NRT_STATUS send_with(void *h)
{
	return nrt_async_sendrecv_send_tensor(live.input, 0, 1, h,
					      (nrt_async_sendrecv_request_t **)&out);
}

static NRT_STATUS receive_with(void *h)
{
	return nrt_async_sendrecv_recv_tensor(live.input, 0, 1, h,
					      (nrt_async_sendrecv_request_t **)&out);
}

enum kind { MODEL, SET, TENSOR, OTHER, KINDS };

static const struct handle_row {
	const char *name;
	NRT_STATUS (*call)(void *handle);
	enum kind kind;	       /* of the handle it wants */
	NRT_STATUS when_null;  /* what it says to NULL; a set of nothing is a set */
	NRT_STATUS when_freed; /* or never given out, or of another kind */
} handle_rows[] = {
#define ROW(call, kind)                                                                            \
	{                                                                                          \
#call, call, kind, NRT_INVALID, NRT_INVALID_HANDLE                                 \
	}
	ROW(unload, MODEL),
	ROW(get_model_nc_count, MODEL),
	ROW(get_model_vnc_count, MODEL),
	ROW(get_model_instance_count, MODEL),
	ROW(get_model_info, MODEL),
	ROW(get_model_tensor_info, MODEL),
	ROW(execute, MODEL),
	ROW(execute_repeat, MODEL),
	ROW(execute_schedule, MODEL),
	ROW(profile_start, MODEL),
	{"execute_with_inputs", execute_with_inputs, SET, NRT_EXEC_BAD_INPUT, NRT_INVALID_HANDLE},
	{"execute_with_outputs", execute_with_outputs, SET, NRT_EXEC_BAD_INPUT, NRT_INVALID_HANDLE},
	ROW(add_to_set, SET),
	ROW(get_from_set, SET),
	ROW(add_tensor, TENSOR),
	ROW(tensor_read, TENSOR),
	ROW(tensor_write, TENSOR),
	ROW(tensor_read_batch, TENSOR),
	ROW(tensor_write_batch, TENSOR),
	ROW(tensor_copy_from, TENSOR),
	ROW(tensor_copy_to, TENSOR),
	ROW(tensor_memset, TENSOR),
	ROW(tensor_allocate_slice, TENSOR),
	ROW(tensor_attach_buffer, TENSOR),
	ROW(tensor_allocation_info, TENSOR),
	ROW(tensor_check_completion, TENSOR),
	ROW(tensor_reset_completion, TENSOR),
	ROW(async_write, TENSOR),
	ROW(async_read, TENSOR),
	ROW(async_copy_from, TENSOR),
	ROW(async_copy_to, TENSOR),
	{"test_comm", test_comm, OTHER, NRT_INVALID_HANDLE, NRT_INVALID_HANDLE},
	{"test_request", test_request, OTHER, NRT_INVALID_HANDLE, NRT_INVALID_HANDLE},
	{"send_with", send_with, OTHER, NRT_INVALID_HANDLE, NRT_INVALID_HANDLE},
	{"receive_with", receive_with, OTHER, NRT_INVALID_HANDLE, NRT_INVALID_HANDLE},
#undef ROW
};

static void expect(const struct handle_row *row, const char *what, void *handle, NRT_STATUS want)
{
	NRT_STATUS got = row->call(handle);

	if (got == want)
		return;
	print_error("%s with %s: %s instead of %s\n", row->name, what, nrt_get_status_as_str(got),
		    nrt_get_status_as_str(want));
	fault_count++;
}

static void wrong_handles_are_told_by_every_call(void **state)
{
	struct nx_fixture_run gone;
	void *freed[KINDS], *others[KINDS];

	(void)state;
	nx_fixture_init();
	live = nx_fixture_load(0);
	gone = nx_fixture_load(1);
	freed[MODEL] = gone.model;
	freed[SET] = gone.inputs;
	freed[TENSOR] = gone.input;
	freed[OTHER] = gone.output;
	nrt_destroy_tensor_set(&gone.inputs);
	nrt_destroy_tensor_set(&gone.outputs);
	nrt_tensor_free(&gone.input);
	nrt_tensor_free(&gone.output);
	assert_int_equal(nrt_unload(gone.model), NRT_SUCCESS);
	others[MODEL] = live.input;
	others[SET] = live.model;
	others[TENSOR] = live.inputs;
	others[OTHER] = live.model;
	for (size_t i = 0; i < sizeof(handle_rows) / sizeof(handle_rows[0]); i++) {
		const struct handle_row *row = &handle_rows[i];

		expect(row, "NULL", NULL, row->when_null);
		expect(row, "a freed handle", freed[row->kind], row->when_freed);
		expect(row, "a handle of another kind", others[row->kind], row->when_freed);
		expect(row, "an address", buffer, row->when_freed);
		expect(row, "garbage", (void *)UINTPTR_MAX, row->when_freed);
	}
	assert_int_equal(nrt_execute(live.model, live.inputs, live.outputs), NRT_SUCCESS);
	nrt_close();
	assert_int_equal(fault_count, 0);
}

static void calls_without_a_status_bear_wrong_handles(void **state)
{
	nrt_tensor_t *tensor = (nrt_tensor_t *)(void *)buffer;
	void *set = buffer;

	(void)state;
	nx_fixture_init();
	assert_int_equal(nrt_tensor_get_size(tensor), 0);
	assert_int_equal(nrt_tensor_get_size(NULL), 0);
	assert_null(nrt_tensor_get_va(tensor));
	assert_null(nrt_tensor_get_va(NULL));
	nrt_tensor_free(&tensor);
	nrt_destroy_tensor_set(&set);
	nrt_close();
}

/* --- calls with a core ---------------------------------------------------------------------- */

static NRT_STATUS load_on(int core)
{
	const struct nx_bytes *neff = nx_fixture_neff();
	nrt_model_t *model;
	NRT_STATUS st = nrt_load(neff->items, neff->len, core, 1, &model);

	return st == NRT_SUCCESS ? nrt_unload(model) : st;
}

static NRT_STATUS allocate_on(int core)
{
	nrt_tensor_t *tensor;
	NRT_STATUS st = nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, 64, "a", &tensor);

	if (st == NRT_SUCCESS)
		nrt_tensor_free(&tensor);
	return st;
}

static NRT_STATUS memory_stats_of(int core)
{
	nrt_vnc_memory_stats_t stats;

	return nrt_get_vnc_memory_stats((uint32_t)core, &stats, sizeof(stats), &size);
}

static NRT_STATUS build_comm_on(int core)
{
	return nrt_build_global_comm(core, 0, 1);
}

static NRT_STATUS init_comm_on(int core)
{
	return nrt_cc_global_comm_init((uint32_t)core, 0, 1);
}

static NRT_STATUS barrier_on(int core)
{
	return nrt_barrier(core, 0, 1);
}

static NRT_STATUS all_gather_on(int core)
{
	return nrt_all_gather(core, 0, 1, 1, buffer, buffer + 1);
}

static NRT_STATUS drain_on(int core)
{
	return nrt_async_drain_queued_execs(core);
}

static NRT_STATUS sequence_on(int core)
{
	return nrta_get_sequence((uint32_t)core, NRTA_XU_COMPUTE, 0, &seq);
}

static NRT_STATUS event_on(int core)
{
	return nrta_event_register_xu_completion(core, NRTA_XU_COMPUTE, 0, -1);
}

static NRT_STATUS sendrecv_on(int core)
{
	NRT_STATUS st = nrt_async_sendrecv_init(core);

	return st == NRT_SUCCESS ? nrt_async_sendrecv_close(core) : st;
}

static NRT_STATUS continuous_save_of(int core)
{
	return nrt_profile_continuous_save((uint32_t)core, NULL);
}

static const struct core_row {
	const char *name;
	NRT_STATUS (*call)(int core);
	NRT_STATUS on_last, beyond, below; /* of cores 0 to 3 */
} core_rows[] = {
	{"nrt_load", load_on, NRT_SUCCESS, NRT_LOAD_NOT_ENOUGH_NC, NRT_INVALID},
	{"nrt_tensor_allocate", allocate_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_get_vnc_memory_stats", memory_stats_of, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_build_global_comm", build_comm_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_cc_global_comm_init", init_comm_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_barrier", barrier_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_all_gather", all_gather_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_async_drain_queued_execs", drain_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrta_get_sequence", sequence_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrta_event_register_xu_completion", event_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_async_sendrecv_init", sendrecv_on, NRT_SUCCESS, NRT_INVALID, NRT_INVALID},
	{"nrt_profile_continuous_save", continuous_save_of, NRT_INVALID, NRT_INVALID, NRT_INVALID},
};

static void expect_core(const struct core_row *row, int core, NRT_STATUS want)
{
	NRT_STATUS got = row->call(core);

	if (got == want)
		return;
	print_error("%s on core %d: %s instead of %s\n", row->name, core,
		    nrt_get_status_as_str(got), nrt_get_status_as_str(want));
	fault_count++;
}

static void cores_that_are_not_there_are_told_by_every_call(void **state)
{
	(void)state;
	nx_fixture_init();
	for (size_t i = 0; i < sizeof(core_rows) / sizeof(core_rows[0]); i++) {
		expect_core(&core_rows[i], 3, core_rows[i].on_last);
		expect_core(&core_rows[i], 4, core_rows[i].beyond);
		expect_core(&core_rows[i], INT_MAX, core_rows[i].beyond);
		expect_core(&core_rows[i], -7, core_rows[i].below);
	}
	nrt_close();
	assert_int_equal(fault_count, 0);
}

/* --- places for answers ---------------------------------------------------------------------- */

static void answers_need_a_place(void **state)
{
	const struct nx_bytes *neff = nx_fixture_neff();

	(void)state;
	nx_fixture_init();
	live = nx_fixture_load(0);
	assert_int_equal(nrt_load(neff->items, neff->len, 0, 1, NULL), NRT_INVALID);
	assert_int_equal(nrt_load(NULL, 10, 0, 1, (nrt_model_t **)&out), NRT_INVALID);
	assert_int_equal(nrt_load_collectives(neff->items, neff->len, 0, 1, 0, 1, NULL),
			 NRT_INVALID);
	assert_int_equal(nrt_get_model_nc_count(live.model, NULL), NRT_INVALID);
	assert_int_equal(nrt_get_model_vnc_count(live.model, NULL), NRT_INVALID);
	assert_int_equal(nrt_get_model_instance_count(live.model, NULL), NRT_INVALID);
	assert_int_equal(nrt_get_model_info(live.model, NULL, 4, &size), NRT_INVALID);
	assert_int_equal(nrt_get_model_tensor_info(live.model, NULL), NRT_INVALID);
	assert_int_equal(nrt_allocate_tensor_set(NULL), NRT_INVALID);
	assert_int_equal(nrt_add_tensor_to_tensor_set(live.inputs, NULL, live.input), NRT_INVALID);
	assert_int_equal(nrt_get_tensor_from_tensor_set(live.inputs, "hidden_states", NULL),
			 NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 1, "a", NULL),
			 NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate_empty("a", NULL), NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate_slice(live.input, 0, 1, "a", NULL), NRT_INVALID);
	assert_int_equal(nrt_tensor_read(live.input, NULL, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_write(live.input, NULL, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_get_device_allocation_info(live.input, NULL), NRT_INVALID);
	assert_int_equal(nrt_get_vnc_memory_stats(0, NULL, 8, &size), NRT_INVALID);
	assert_int_equal(nrta_is_completed(1, NULL), NRT_INVALID);
	assert_int_equal(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_fetch_events(NULL, &size, NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_config_allocate(NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_get_event_types(NULL, &size), NRT_INVALID);
	assert_int_equal(nrt_inspect_config_allocate(NULL), NRT_INVALID);
	assert_int_equal(nrt_profile_continuous_options_allocate(NULL), NRT_INVALID);
	assert_int_equal(nrt_sys_trace_fetch_options_allocate(NULL), NRT_INVALID);
	nrt_close();
}

/* Places on a tensor that are not there. */
static void bytes_beyond_a_tensor_are_told(void **state)
{
	static const size_t end = 524288;

	(void)state;
	nx_fixture_init();
	live = nx_fixture_load(0);
	assert_int_equal(nrt_tensor_read(live.input, buffer, end - 1, 1), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(live.input, buffer, end - 1, 2), NRT_INVALID);
	assert_int_equal(nrt_tensor_read(live.input, buffer, SIZE_MAX, 2), NRT_INVALID);
	assert_int_equal(nrt_tensor_write(live.input, buffer, end, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_memset(live.input, end - 3, 0, 4), NRT_INVALID);
	assert_int_equal(nrt_tensor_copy(live.input, end, live.output, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_copy(live.input, 0, live.output, end, 1), NRT_INVALID);
	assert_int_equal(nrt_tensor_allocate_slice(live.input, 1, end, "a", (nrt_tensor_t **)&out),
			 NRT_INVALID);
	nrt_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_handles_are_told_by_every_call),
		cmocka_unit_test(calls_without_a_status_bear_wrong_handles),
		cmocka_unit_test(cores_that_are_not_there_are_told_by_every_call),
		cmocka_unit_test(answers_need_a_place),
		cmocka_unit_test(bytes_beyond_a_tensor_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
