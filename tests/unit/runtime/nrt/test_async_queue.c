/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_async.h>
#include <nrt/nrt_async_sendrecv.h>
#include <nrt/nrt_experimental.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/nrt/async_queue.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

static nrt_tensor_t *allocate(int core, size_t size)
{
	nrt_tensor_t *tensor;

	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, size, "t", &tensor),
			 NRT_SUCCESS);
	return tensor;
}

static void wait_for(nrta_seq_t seq)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	bool is_completed = false;

	assert_int_equal(nrta_event_register_seq_id_completion(seq, fd), NRT_SUCCESS);
	assert_int_equal(poll(&poller, 1, 20000), 1);
	assert_int_equal(nrta_is_completed(seq, &is_completed), NRT_SUCCESS);
	assert_true(is_completed);
	assert_int_equal(nrta_event_register_seq_id_completion(seq, -1), NRT_SUCCESS);
	close(fd);
}

static void requests_of_a_queue_run_in_order(void **state)
{
	nrt_tensor_t *a = allocate(1, 8), *b = allocate(1, 8);
	NRT_STATUS status[3] = {NRT_FAILURE, NRT_FAILURE, NRT_FAILURE};
	nrta_seq_t seqs[3], last;
	char got[8] = {0};

	(void)state;
	assert_int_equal(nrta_get_sequence(1, NRTA_XU_TENSOR_OP, 0, &last), NRT_SUCCESS);
	assert_int_equal(NRTA_SEQ_GET_SEQ_NUM(last), 0);
	assert_int_equal(nrta_tensor_write(a, "abcdefgh", 0, 8, 1, 0, &status[0], &seqs[0]), 0);
	assert_int_equal(nrta_tensor_copy(a, 0, b, 0, 8, 1, 0, &status[1], &seqs[1]), 0);
	assert_int_equal(nrta_tensor_read(got, b, 0, 8, 1, 0, &status[2], &seqs[2]), 0);
	wait_for(seqs[2]);
	wait_for(seqs[0]); /* completed before: the event comes at once */
	assert_memory_equal(got, "abcdefgh", 8);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(status[i], NRT_SUCCESS);
		assert_int_equal(NRTA_SEQ_GET_SEQ_NUM(seqs[i]), i + 1);
		assert_int_equal(NRTA_SEQ_GET_XU_ID(seqs[i]), NRTA_SEQ_GET_XU_ID(last));
	}
	assert_int_equal(nrta_get_sequence(1, NRTA_XU_TENSOR_OP, 0, &last), NRT_SUCCESS);
	assert_int_equal(last, seqs[2]);
	assert_int_equal(nrta_get_sequence(1, NRTA_XU_TENSOR_OP, 1, &last), NRT_SUCCESS);
	assert_int_equal(NRTA_SEQ_GET_SEQ_NUM(last), 0);
	/* a caller that needs no status passes none */
	assert_int_equal(nrta_tensor_write(a, "abcdefgh", 0, 8, 1, 0, NULL, &last), NRT_SUCCESS);
	assert_int_equal(last, seqs[2] + 1);
	assert_int_equal(nrt_async_drain_queued_execs(1), NRT_SUCCESS);
	assert_int_equal(nrta_get_sequence(1, NRTA_XU_TENSOR_OP, 0, &last), NRT_SUCCESS);
	assert_int_equal(last, seqs[2] + 1);
}

static void a_failed_request_writes_its_status(void **state)
{
	nrt_tensor_t *a = allocate(0, 8);
	NRT_STATUS status = NRT_SUCCESS;
	nrta_seq_t seq;
	char byte;

	(void)state;
	assert_int_equal(nrta_tensor_read(&byte, a, 8, 1, 0, 0, &status, &seq), NRT_SUCCESS);
	wait_for(seq);
	assert_int_equal(status, NRT_INVALID);
	status = NRT_TIMEOUT;
	assert_int_equal(nrta_tensor_read(&byte, a, 0, 1, 0, 2, &status, &seq), NRT_INVALID);
	assert_int_equal(status, NRT_TIMEOUT); /* a refused call leaves it alone */
}

static void models_are_scheduled(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(2);
	NRT_STATUS status[9];
	nrta_seq_t seq = 0;

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_int_equal(nrta_execute_schedule(run.model, run.inputs, run.outputs, 0,
						       &status[i], &seq),
				 NRT_SUCCESS);
	assert_int_equal(NRTA_SEQ_GET_SEQ_NUM(seq), 8);
	wait_for(seq);
	for (int i = 0; i < 8; i++)
		assert_int_equal(status[i], NRT_SUCCESS);
	assert_int_equal(nrt_tensor_check_output_completion(run.output, 0, 8), NRT_SUCCESS);
	assert_int_equal(nrta_execute_schedule(run.model, NULL, run.outputs, 0, &status[8], &seq),
			 NRT_SUCCESS);
	wait_for(seq);
	assert_int_equal(status[8], NRT_EXEC_BAD_INPUT);
}

/* As clients do it: one eventfd for a unit, registered before its first request. */
static void a_unit_signals_each_completion(void **state)
{
	nrt_tensor_t *a = allocate(0, 8);
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), other = eventfd(0, EFD_NONBLOCK);
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	nrta_seq_t seq, done;
	uint64_t count;

	(void)state;
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_TENSOR_OP, 0, fd), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(nrta_tensor_write(a, "12345678", 0, 8, 0, 0, NULL, &seq), 0);
	do {
		assert_int_equal(poll(&poller, 1, 20000), 1);
		assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
		assert_int_equal(nrta_get_sequence(0, NRTA_XU_TENSOR_OP, 0, &done), NRT_SUCCESS);
	} while (done != seq);
	(void)!read(fd, &count, sizeof(count)); /* a completion between the last two calls */
	/* another descriptor replaces it, a negative one removes it, also if there is none */
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_TENSOR_OP, 0, other), 0);
	close(other); /* without removing it first */
	assert_int_equal(nrta_tensor_write(a, "12345678", 0, 8, 0, 0, NULL, &seq), NRT_SUCCESS);
	wait_for(seq);
	assert_int_equal(read(fd, &count, sizeof(count)), -1);
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_TENSOR_OP, 0, -1), 0);
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_TENSOR_OP, 0, -1), 0);
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_COMPUTE, 0, 987654),
			 NRT_INVALID);
	assert_int_equal(nrta_event_register_xu_completion(99, NRTA_XU_COMPUTE, 0, fd),
			 NRT_INVALID);
	assert_int_equal(nrta_event_register_xu_completion(0, NRTA_XU_TYPE_NUM, 0, fd),
			 NRT_INVALID);
	assert_int_equal(nrta_event_register_seq_id_completion(12345, fd), NRT_INVALID);
	close(fd);
}

/* A collective whose other rank does not come must not hold up transfers of its core. */
static void queues_do_not_wait_for_each_other(void **state)
{
	nrt_tensor_t *a = allocate(0, 8), *b = allocate(1, 8), *c = allocate(0, 8),
		     *d = allocate(1, 8), *other = allocate(0, 8);
	nrt_tensor_list_t inputs[2] = {{&a, 1}, {&b, 1}}, outputs[2] = {{&c, 1}, {&d, 1}};
	uint32_t group[2] = {0, 1};
	nrt_cc_context_t *context[2];
	NRT_STATUS status[2] = {NRT_FAILURE, NRT_FAILURE};
	nrta_seq_t waiting[2], seq;
	bool is_completed = true;

	(void)state;
	for (uint32_t rank = 0; rank < 2; rank++) {
		nrt_cc_comm_t comm = {group, rank, 2, rank, 2, rank};

		assert_int_equal(nrta_cc_prepare(&comm, &inputs[rank], &outputs[rank],
						 NRT_DTYPE_INT8, NRT_OP_ADD, NRT_CC_ALLREDUCE,
						 &context[rank]),
				 NRT_SUCCESS);
	}
	assert_int_equal(nrta_cc_schedule(&context[0], 2, &status[0], &waiting[0]), NRT_SUCCESS);
	assert_int_equal(nrta_tensor_write(other, "12345678", 0, 8, 0, 1, NULL, &seq), NRT_SUCCESS);
	wait_for(seq);
	assert_int_equal(nrta_is_completed(waiting[0], &is_completed), NRT_SUCCESS);
	assert_false(is_completed);
	assert_int_equal(nrta_cc_schedule(&context[1], 3, &status[1], &waiting[1]), NRT_INVALID);
	assert_non_null(context[1]); /* a refused call leaves the context */
	assert_int_equal(nrta_cc_schedule(&context[1], 2, &status[1], &waiting[1]), NRT_SUCCESS);
	assert_null(context[1]);
	wait_for(waiting[0]);
	wait_for(waiting[1]);
	assert_int_equal(status[0], NRT_SUCCESS);
	assert_int_equal(status[1], NRT_SUCCESS);
}

static void wrong_requests_are_refused(void **state)
{
	struct nx_fixture_run run = nx_fixture_load(0);
	bool is_completed;
	nrta_seq_t seq;
	char byte = 0;

	(void)state;
	assert_int_equal(nrta_tensor_write(run.input, NULL, 0, 1, 0, 0, NULL, &seq), NRT_INVALID);
	assert_int_equal(nrta_tensor_write(run.input, &byte, 0, 1, 0, 2, NULL, &seq), NRT_INVALID);
	assert_int_equal(nrta_tensor_write(run.input, &byte, 0, 1, 0, -1, NULL, &seq), NRT_INVALID);
	assert_int_equal(nrta_tensor_write(run.input, &byte, 0, 1, 0, 0, NULL, NULL), NRT_INVALID);
	assert_int_equal(nrta_tensor_write(run.input, &byte, 0, 1, 99, 0, NULL, &seq), NRT_INVALID);
	assert_int_equal(nrta_tensor_write(run.input, &byte, 0, 1, -1, 0, NULL, &seq), NRT_INVALID);
	assert_int_equal(nrta_tensor_copy(run.input, 0, NULL, 0, 1, 0, 0, NULL, &seq), NRT_INVALID);
	assert_int_equal(nrta_execute_schedule(run.model, run.inputs, run.outputs, 1, NULL, &seq),
			 NRT_INVALID);
	assert_int_equal(nrta_execute_schedule(run.model, run.model, run.outputs, 0, NULL, &seq),
			 NRT_INVALID_HANDLE);
	assert_int_equal(nrta_is_completed(12345, &is_completed), NRT_INVALID);
	assert_int_equal(nrta_is_completed(UINT64_MAX, &is_completed), NRT_INVALID);
	assert_int_equal(nrta_is_completed(0, &is_completed), NRT_INVALID);
	assert_int_equal(nrta_get_sequence(0, NRTA_XU_TYPE_NUM, 0, &seq), NRT_INVALID);
	assert_int_equal(nrta_get_sequence(0, NRTA_XU_COMPUTE, 99, &seq), NRT_INVALID);
	assert_int_equal(nrta_get_sequence(9, NRTA_XU_COMPUTE, 0, &seq), NRT_INVALID);
}

static void closing_finishes_what_waits(void **state)
{
	nrt_tensor_t *a = allocate(0, 1 << 20);
	static char bytes[1 << 20];
	NRT_STATUS status[50];
	nrta_seq_t seq;

	(void)state;
	memset(status, 0xff, sizeof(status));
	for (int i = 0; i < 50; i++)
		assert_int_equal(nrta_tensor_write(a, bytes, 0, sizeof(bytes), 0, 0, &status[i],
						   &seq),
				 NRT_SUCCESS);
	nrt_close();
	for (int i = 0; i < 50; i++)
		assert_int_equal(status[i], NRT_SUCCESS);
	assert_int_equal(nrta_tensor_write(a, bytes, 0, 1, 0, 0, NULL, &seq), NRT_CLOSED);
	nx_fixture_init();
	a = allocate(0, 4);
	assert_int_equal(nrta_tensor_write(a, bytes, 0, 1, 0, 0, NULL, &seq), NRT_SUCCESS);
	assert_int_equal(NRTA_SEQ_GET_SEQ_NUM(seq), 1);
}

static void a_group_of_one_works(void **state)
{
	nrt_tensor_t *a = allocate(0, 8), *b = allocate(0, 8);
	nrt_tensor_list_t inputs = {&a, 1}, outputs = {&b, 1}, none = {NULL, 0};
	uint32_t group[2] = {0, 1};
	nrt_cc_comm_t comm = {group, 0, 1, 0, 1, 0};
	nrt_cc_context_t *context;
	nrta_seq_t seq;
	char got[8], message[8], letters[] = "wxyz";
	int err;

	(void)state;
	assert_int_equal(nrt_tensor_write(a, "12345678", 0, 8), NRT_SUCCESS);
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT8, NRT_OP_ADD,
					 NRT_CC_ALLREDUCE, &context),
			 NRT_SUCCESS);
	assert_int_equal(nrta_cc_schedule(&context, 0, NULL, &seq), NRT_SUCCESS);
	assert_null(context);
	assert_int_equal(nrta_cc_schedule(&context, 0, NULL, &seq), NRT_INVALID);
	wait_for(seq);
	assert_int_equal(nrt_tensor_read(b, got, 0, 8), NRT_SUCCESS);
	assert_memory_equal(got, "12345678", 8);
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &none, NRT_DTYPE_INT8, NRT_OP_ADD,
					 NRT_CC_ALLREDUCE, &context),
			 NRT_INVALID);
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT8, NRT_OP_ADD,
					 (nrt_cc_op_type_t)3, &context),
			 NRT_INVALID);
	comm.rank_n = 2;
	assert_int_equal(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT8, NRT_OP_ADD,
					 NRT_CC_ALLREDUCE, &context),
			 NRT_INVALID);
	assert_int_equal(nrt_barrier(0, 0, 1), NRT_SUCCESS);
	assert_int_equal(nrt_barrier(0, 1, 1), NRT_INVALID);
	assert_int_equal(nrt_build_global_comm(7, 0, 1), NRT_INVALID);
	assert_int_equal(nrt_cc_global_comm_init(0, 0, 0), NRT_INVALID);
	assert_int_equal(nrt_all_gather(0, 0, 1, 4, letters, got), NRT_SUCCESS);
	assert_memory_equal(got, "wxyz5678", 8);
	assert_int_equal(nrt_all_gather(0, 0, 1, 4, NULL, got), NRT_INVALID);
	assert_null(nrt_get_libnccl_net(&err, message, sizeof(message)));
	assert_int_equal(err, NRT_FAILURE);
	assert_string_equal(message, "this li");
	assert_null(nrt_get_libnccl_net(NULL, NULL, 0));
	assert_int_equal(nrt_memcpy_to_device(nrt_tensor_get_va(a), "ab", 2), NRT_SUCCESS);
	assert_int_equal(nrt_memcpy_to_device(NULL, "ab", 2), NRT_INVALID);
}

static void tensors_are_sent_between_cores(void **state)
{
	nrt_tensor_t *from = allocate(0, 16), *to = allocate(1, 16);
	nrt_async_sendrecv_comm_t *sender, *receiver;
	nrt_async_sendrecv_request_t *sent, *received, *small;
	bool done;
	size_t size;

	(void)state;
	assert_int_equal(nrt_tensor_write(from, "0123456789abcdef", 0, 16), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_connect("127.0.0.1", 1, 0, &sender), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_init(0), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_init(0), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_init(1), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_connect("10.0.0.9", 1, 0, &sender), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_connect("127.0.0.1", 9, 0, &sender), NRT_INVALID);
	assert_int_equal(nrt_async_sendrecv_connect("127.0.0.1", 1, 0, &sender), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_test_comm(sender, &done), NRT_SUCCESS);
	assert_false(done);
	assert_int_equal(nrt_async_sendrecv_send_tensor(from, 0, 4, sender, &sent), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_accept("localhost", 0, 1, &receiver), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_test_comm(sender, &done), NRT_SUCCESS);
	assert_true(done);
	assert_int_equal(nrt_async_sendrecv_send_tensor(from, 4, 8, sender, &sent), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_test_request(sent, &done, &size), NRT_SUCCESS);
	assert_false(done);
	assert_int_equal(nrt_async_sendrecv_recv_tensor(to, 2, 10, receiver, &received),
			 NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_test_request(sent, &done, &size), NRT_SUCCESS);
	assert_true(done);
	assert_int_equal(size, 8);
	assert_int_equal(nrt_async_sendrecv_test_request(sent, &done, &size), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_async_sendrecv_test_request(received, &done, &size), NRT_SUCCESS);
	assert_true(done);
	assert_memory_equal((char *)nrt_tensor_get_va(to) + 2, "456789ab", 8);
	assert_int_equal(nrt_async_sendrecv_flush(1), NRT_SUCCESS);
	/* a receive that is too small fails on both sides */
	assert_int_equal(nrt_async_sendrecv_recv_tensor(to, 0, 4, receiver, &small), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_send_tensor(from, 0, 8, sender, &sent), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_test_request(small, &done, &size), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_test_request(sent, &done, &size), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_send_tensor(from, 10, 8, sender, &sent), NRT_INVALID);
	assert_int_equal(nrt_async_sendrecv_send_tensor(from, 0, 8, receiver, &sent), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_close(0), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_test_comm(sender, &done), NRT_INVALID_HANDLE);
	assert_int_equal(nrt_async_sendrecv_close(1), NRT_FAILURE); /* its peer is gone */
	assert_int_equal(nrt_async_sendrecv_close(1), NRT_FAILURE);
}

static void limits_are_told_and_kept(void **state)
{
	nrt_async_sendrecv_comm_t *sender, *receiver, *comm;
	nrt_async_sendrecv_request_t *request;
	nrt_tensor_t *tensor = allocate(0, 4);
	int comms, requests;

	(void)state;
	assert_int_equal(nrt_async_sendrecv_get_max_num_communicators_per_lnc(&comms), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_get_max_num_pending_request(&requests), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_get_max_num_pending_request(NULL), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_get_max_num_communicators_per_lnc(NULL), NRT_FAILURE);
	assert_int_equal(nrt_async_sendrecv_init(0), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_connect("::1", 0, 0, &sender), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_accept("::1", 0, 0, &receiver), NRT_SUCCESS);
	for (int i = 0; i < requests; i++)
		assert_int_equal(nrt_async_sendrecv_send_tensor(tensor, 0, 4, sender, &request),
				 NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_send_tensor(tensor, 0, 4, sender, &request),
			 NRT_RESOURCE);
	for (int i = 2; i < comms; i++)
		assert_int_equal(nrt_async_sendrecv_connect("::1", 0, 0, &comm), NRT_SUCCESS);
	assert_int_equal(nrt_async_sendrecv_connect("::1", 0, 0, &comm), NRT_RESOURCE);
	assert_int_equal(nrt_async_sendrecv_close(0), NRT_FAILURE); /* requests are in flight */
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, nx_fixture_begin, nx_fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(requests_of_a_queue_run_in_order),
		CASE(a_failed_request_writes_its_status),
		CASE(a_unit_signals_each_completion),
		CASE(queues_do_not_wait_for_each_other),
		CASE(models_are_scheduled),
		CASE(wrong_requests_are_refused),
		CASE(closing_finishes_what_waits),
		CASE(a_group_of_one_works),
		CASE(tensors_are_sent_between_cores),
		CASE(limits_are_told_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
