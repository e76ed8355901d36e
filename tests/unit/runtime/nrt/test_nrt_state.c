/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_async.h>
#include <nrt/nrt_async_sendrecv.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <nrt/nrt_sys_trace.h>
#include <nrt/nrt_version.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/runtime/nrt/nrt_fixture.h"

static void *no_handle = (void *)(uintptr_t)0x123450; /* was never given out */

/* Every call that needs the runtime, with arguments that are right but for that. */
static void check_all(NRT_STATUS want)
{
	char buffer[16] = {0};
	bool flag;
	int number;
	size_t size = sizeof(buffer);
	uint32_t u32 = 1;
	uint64_t seq;
	void *out = NULL;
	nrt_vnc_memory_stats_t stats;
	nrt_model_info_t info;
	nrt_tensor_device_allocation_info_t allocation;
	nrt_tensor_batch_op_t op = {0, 1, buffer};
	nrt_tensor_batch_t batch = {no_handle, &op, 1};
	nrt_tensor_list_t list = {(nrt_tensor_t **)&no_handle, 1};
	nrt_cc_comm_t comm = {&u32, 0, 1, 0, 1, 0};
	char *text;

	assert_int_equal(nrt_load(buffer, 4, 0, 1, (nrt_model_t **)&out), want);
	assert_int_equal(nrt_load_collectives(buffer, 4, 0, 1, 0, 1, (nrt_model_t **)&out), want);
	assert_int_equal(nrt_unload(no_handle), want);
	assert_int_equal(nrt_get_model_nc_count(no_handle, &u32), want);
	assert_int_equal(nrt_get_model_vnc_count(no_handle, &u32), want);
	assert_int_equal(nrt_get_model_instance_count(no_handle, &u32), want);
	assert_int_equal(nrt_get_model_info(no_handle, &info, sizeof(info), &size), want);
	assert_int_equal(nrt_get_model_tensor_info(no_handle, (nrt_tensor_info_array_t **)&out),
			 want);
	assert_int_equal(nrt_allocate_tensor_set(&out), want);
	assert_int_equal(nrt_add_tensor_to_tensor_set(no_handle, "a", no_handle), want);
	assert_int_equal(nrt_get_tensor_from_tensor_set(no_handle, "a", (nrt_tensor_t **)&out),
			 want);
	assert_int_equal(nrt_execute(no_handle, NULL, NULL), want);
	assert_int_equal(nrt_execute_repeat(no_handle, NULL, NULL, 1), want);
	assert_int_equal(nrt_build_global_comm(0, 0, 1), want);
	assert_int_equal(nrt_cc_global_comm_init(0, 0, 1), want);
	assert_int_equal(nrt_barrier(0, 0, 1), want);
	assert_int_equal(nrt_all_gather(0, 0, 1, 1, buffer, buffer + 1), want);
	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_HOST, -1, 1, "a",
					     (nrt_tensor_t **)&out),
			 want);
	assert_int_equal(nrt_tensor_allocate_empty("a", (nrt_tensor_t **)&out), want);
	assert_int_equal(nrt_tensor_allocate_slice(no_handle, 0, 1, "a", (nrt_tensor_t **)&out),
			 want);
	assert_int_equal(nrt_tensor_attach_buffer(no_handle, buffer, 1), want);
	assert_int_equal(nrt_tensor_read(no_handle, buffer, 0, 1), want);
	assert_int_equal(nrt_tensor_write(no_handle, buffer, 0, 1), want);
	assert_int_equal(nrt_tensor_read_batch(&batch, 1, false), want);
	assert_int_equal(nrt_tensor_write_batch(&batch, 1, true), want);
	assert_int_equal(nrt_tensor_copy(no_handle, 0, no_handle, 0, 1), want);
	assert_int_equal(nrt_tensor_memset(no_handle, 0, 0, 1), want);
	assert_int_equal(nrt_tensor_get_device_allocation_info(no_handle, &allocation), want);
	assert_int_equal(nrt_tensor_check_output_completion(no_handle, 0, 1), want);
	assert_int_equal(nrt_tensor_reset_output_completion(no_handle), want);
	assert_int_equal(nrt_get_dmabuf_fd(1, 1, &number), want);
	assert_int_equal(nrt_host_device_id_get(0, &u32), want);
	assert_int_equal(nrt_host_device_id_rid_map_get(&u32, &u32), want);
	assert_int_equal(nrt_get_hbm_mmap_va(0, 0, &out, &size), want);
	assert_int_equal(nrt_get_vnc_memory_stats(0, &stats, sizeof(stats), &size), want);
	assert_int_equal(nrt_get_attached_efa_bdf(buffer, buffer, &size), want);
	assert_int_equal(nrt_memcpy_to_device(buffer, buffer, 1), want);
	assert_int_equal(nrt_register_async_exec_callback(NULL, NULL), want);
	assert_int_equal(nrt_async_drain_queued_execs(0), want);
	assert_int_equal(nrt_profile_start(no_handle, "a"), want);
	assert_int_equal(nrt_profile_stop("a"), want);
	assert_int_equal(nrt_profile_continuous_start(no_handle), want);
	assert_int_equal(nrt_profile_continuous_save(0, no_handle), want);
	assert_int_equal(nrt_profile_continuous_stop(), want);
	assert_int_equal(nrt_inspect_begin(), want);
	assert_int_equal(nrt_inspect_begin_with_options(NULL), want);
	assert_int_equal(nrt_inspect_stop(), want);
	assert_int_equal(nrt_sys_trace_start(NULL), want);
	assert_int_equal(nrt_sys_trace_stop(), want);
	assert_int_equal(nrt_sys_trace_fetch_events(&text, &size, NULL), want);
	assert_int_equal(nrt_trace_start(true), want);
	assert_int_equal(nrt_trace_stop("a"), want);
	assert_int_equal(nrta_tensor_write(no_handle, buffer, 0, 1, 0, 0, NULL, &seq), want);
	assert_int_equal(nrta_tensor_read(buffer, no_handle, 0, 1, 0, 0, NULL, &seq), want);
	assert_int_equal(nrta_tensor_copy(no_handle, 0, no_handle, 0, 1, 0, 0, NULL, &seq), want);
	assert_int_equal(nrta_execute_schedule(no_handle, NULL, NULL, 0, NULL, &seq), want);
	assert_int_equal(nrta_cc_prepare(&comm, &list, &list, NRT_DTYPE_INT8, NRT_OP_ADD,
					 NRT_CC_ALLREDUCE, (nrt_cc_context_t **)&out),
			 want);
	assert_int_equal(nrta_cc_schedule((nrt_cc_context_t **)&no_handle, 0, NULL, &seq), want);
	assert_int_equal(nrta_is_completed(1, &flag), want);
	assert_int_equal(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &seq), want);
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_COMPUTE, 0, -1), want);
	assert_int_equal(nrta_event_register_seq_id_completion(1, -1), want);
	assert_int_equal(nrt_async_sendrecv_init(0), want);
	assert_int_equal(nrt_async_sendrecv_close(0), want);
	assert_int_equal(nrt_async_sendrecv_connect("127.0.0.1", 0, 0,
						    (nrt_async_sendrecv_comm_t **)&out),
			 want);
	assert_int_equal(nrt_async_sendrecv_accept("127.0.0.1", 0, 0,
						   (nrt_async_sendrecv_comm_t **)&out),
			 want);
	assert_int_equal(nrt_async_sendrecv_test_comm(no_handle, &flag), want);
	assert_int_equal(nrt_async_sendrecv_send_tensor(no_handle, 0, 1, no_handle,
							(nrt_async_sendrecv_request_t **)&out),
			 want);
	assert_int_equal(nrt_async_sendrecv_recv_tensor(no_handle, 0, 1, no_handle,
							(nrt_async_sendrecv_request_t **)&out),
			 want);
	assert_int_equal(nrt_async_sendrecv_test_request(no_handle, &flag, &size), want);
	assert_int_equal(nrt_async_sendrecv_flush(0), want);
	assert_int_equal(nrt_tensor_get_size(no_handle), 0);
	assert_null(nrt_tensor_get_va(no_handle));
}

/* Has to come first: the process has not called nrt_init yet. */
static void before_init_nothing_works(void **state)
{
	(void)state;
	setenv("NEURON_RT_LOG_LEVEL", "OFF", 1);
	check_all(NRT_UNINITIALIZED);
	nrt_close(); /* harmless */
	check_all(NRT_UNINITIALIZED);
}

static void some_things_are_told_at_any_time(void **state)
{
	nrt_instance_info_t instance = {0};
	nrt_version_t version = {0};
	uint32_t count = 0;

	(void)state;
	assert_int_equal(nrt_get_version(&version, sizeof(version)), NRT_SUCCESS);
	assert_int_equal(version.rt_major, 2);
	assert_true(version.rt_detail[0] != '\0');
	version.rt_minor = 999;
	assert_int_equal(nrt_get_version(&version, 8), NRT_SUCCESS); /* an older, smaller struct */
	assert_int_equal(version.rt_minor, 999);
	assert_int_equal(nrt_get_version(NULL, 8), NRT_INVALID);
	assert_int_equal(nrt_get_version(&version, 0), NRT_INVALID);
	assert_int_equal(nrt_get_instance_info(&instance, sizeof(instance)), NRT_SUCCESS);
	assert_int_equal(instance.family, NRT_INSTANCE_TRN2);
	assert_string_equal(instance.arch_name, "trn2");
	assert_int_equal(nrt_get_instance_info(NULL, 4), NRT_INVALID);
	assert_int_equal(nrt_get_total_vnc_count(&count), NRT_SUCCESS);
	assert_int_equal(count, 4);
	assert_int_equal(nrt_get_total_nc_count(&count), NRT_SUCCESS);
	assert_int_equal(nrt_get_visible_nc_count(&count), NRT_SUCCESS);
	assert_int_equal(nrt_get_visible_vnc_count(&count), NRT_SUCCESS);
	assert_int_equal(nrt_get_visible_vnc_count(NULL), NRT_INVALID);
}

static void statuses_have_names(void **state)
{
	(void)state;
	assert_string_equal(nrt_get_status_as_str(NRT_SUCCESS), "NRT_SUCCESS");
	assert_string_equal(nrt_get_status_as_str(NRT_EXEC_BAD_INPUT), "NRT_EXEC_BAD_INPUT");
	assert_string_equal(nrt_get_status_as_str((NRT_STATUS)1206), "NRT_NETWORK_PROXY_FAILURE");
	assert_string_equal(nrt_get_status_as_str((NRT_STATUS)8), "NRT_STATUS_UNKNOWN");
	assert_string_equal(nrt_get_status_as_str((NRT_STATUS)-1), "NRT_STATUS_UNKNOWN");
}

static void init_comes_once(void **state)
{
	(void)state;
	assert_int_equal(nrt_init(NRT_FRAMEWORK_TYPE_INVALID, "", ""), NRT_INVALID);
	assert_int_equal(nrt_init((nrt_framework_type_t)99, "", ""), NRT_INVALID);
	nx_fixture_init();
	assert_int_equal(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), NRT_INVALID);
	nrt_close();
	nrt_close();
}

static void after_close_everything_is_closed(void **state)
{
	struct nx_fixture_run run;
	uint32_t count;

	(void)state;
	nx_fixture_init();
	run = nx_fixture_load(0);
	nrt_close();
	check_all(NRT_CLOSED);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_CLOSED);
	nx_fixture_init(); /* a new life does not know the handles of the old one */
	assert_int_equal(nrt_get_model_nc_count(run.model, &count), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_tensor_read(run.input, &count, 0, 1), NRT_INVALID_HANDLE);
	nrt_close();
}

static void handles_that_are_none_are_told(void **state)
{
	uint32_t count;
	char byte;
	void *set = no_handle;
	nrt_tensor_t *tensor = no_handle;

	(void)state;
	nx_fixture_init();
	assert_int_equal(nrt_unload(no_handle), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_unload(NULL), NRT_INVALID);
	assert_int_equal(nrt_execute(no_handle, NULL, NULL), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_get_model_vnc_count(no_handle, &count), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_tensor_read(no_handle, &byte, 0, 1), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_tensor_read(NULL, &byte, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_add_tensor_to_tensor_set(no_handle, "a", no_handle),
			 NRT_INVALID_HANDLE);
	nrt_destroy_tensor_set(&set);
	assert_null(set);
	nrt_tensor_free(&tensor);
	assert_null(tensor);
	nrt_tensor_free(&tensor);
	nrt_tensor_free(NULL);
	nrt_destroy_tensor_set(NULL);
	nrt_close();
}

static void questions_about_the_machine_are_answered(void **state)
{
	nrt_vnc_memory_stats_t stats;
	uint32_t map[4], count = 4, id = 9;
	size_t size, len = 4;
	char bdf[4];
	void *address;
	int fd;

	(void)state;
	nx_fixture_init();
	assert_int_equal(nrt_host_device_id_get(0, &id), NRT_SUCCESS);
	assert_int_equal(id, 0);
	assert_int_equal(nrt_host_device_id_get(1, &id), NRT_INVALID);
	assert_int_equal(nrt_host_device_id_rid_map_get(&count, map), NRT_SUCCESS);
	assert_int_equal(count, 1);
	count = 0;
	assert_int_equal(nrt_host_device_id_rid_map_get(&count, map), NRT_INVALID);
	assert_int_equal(nrt_get_hbm_mmap_va(0, 0, &address, &size), NRT_INVALID);
	assert_int_equal(nrt_get_hbm_mmap_va(0, 4, &address, &size), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_get_dmabuf_fd(4096, 1, &fd), NRT_FAILURE);
	assert_int_equal(nrt_get_dmabuf_fd(0, 1, &fd), NRT_INVALID);
	assert_int_equal(nrt_get_attached_efa_bdf(map, bdf, &len), NRT_FAILURE);
	assert_int_equal(nrt_get_vnc_memory_stats(0, &stats, sizeof(stats), &size), NRT_SUCCESS);
	assert_int_equal(size, sizeof(stats));
	assert_int_equal(stats.bytes_used, 0);
	assert_int_equal(stats.bytes_limit, (size_t)24 << 30);
	assert_int_equal(nrt_get_vnc_memory_stats(0, &stats, 8, &size), NRT_SUCCESS);
	assert_int_equal(size, 8);
	assert_int_equal(nrt_get_vnc_memory_stats(4, &stats, 8, &size), NRT_INVALID);
	nrt_close();
}

static void microcode_comes_before_init(void **state)
{
	uint8_t code[4] = {0};
	nrt_ucode_info info = {{code, 4}, {code, 4}};

	(void)state;
	assert_int_equal(nrt_set_pool_eng_ucode(&info), NRT_SUCCESS);
	info.dram.size = 0;
	assert_int_equal(nrt_set_pool_eng_ucode(&info), NRT_INVALID);
	assert_int_equal(nrt_set_pool_eng_ucode(NULL), NRT_INVALID);
	nx_fixture_init();
	info.dram.size = 4;
	assert_int_equal(nrt_set_pool_eng_ucode(&info), NRT_INVALID);
	nrt_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_init_nothing_works),
		cmocka_unit_test(some_things_are_told_at_any_time),
		cmocka_unit_test(statuses_have_names),
		cmocka_unit_test(init_comes_once),
		cmocka_unit_test(after_close_everything_is_closed),
		cmocka_unit_test(handles_that_are_none_are_told),
		cmocka_unit_test(questions_about_the_machine_are_answered),
		cmocka_unit_test(microcode_comes_before_init),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
