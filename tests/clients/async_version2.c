/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program compiled for version 2 of nrt_async: five units, an error tracker, descriptors made by
 * the runtime.
 * usage: async_version2 NEFF
 */
#include "tests/clients/nrt_async_version2.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "tests/clients/client.h"

static void wait_for(nrta_seq_t seq)
{
	struct pollfd poller = {.events = POLLIN};
	bool is_completed = false;

	SUCCEED(nrta_get_completion_handle(seq, &poller.fd));
	EXPECT(poll(&poller, 1, 60000) == 1);
	close(poller.fd);
	SUCCEED(nrta_is_completed(seq, &is_completed));
	EXPECT(is_completed);
}

static void move_tensors(nrta_error_tracker_t *tracker)
{
	nrt_tensor_t *a, *b;
	nrta_seq_t seqs[3], last;
	char got[8] = {0};

	SUCCEED(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 1, 8, "a", &a));
	SUCCEED(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 1, 8, "b", &b));
	SUCCEED(nrta_tensor_write(a, "abcdefgh", 0, 8, 0, tracker, &seqs[0]));
	SUCCEED(nrta_tensor_copy(a, 0, b, 0, 8, 0, tracker, &seqs[1]));
	SUCCEED(nrta_tensor_read(got, b, 0, 8, 0, tracker, &seqs[2]));
	wait_for(seqs[2]);
	wait_for(seqs[0]); /* long complete: the descriptor is readable at once */
	EXPECT(memcmp(got, "abcdefgh", 8) == 0);
	SUCCEED(nrta_get_sequence(1, NRTA_XU_TENSOR_READ, 0, &last));
	EXPECT(last == seqs[2]);
	/* this version has more queues */
	SUCCEED(nrta_tensor_read(got, b, 0, 8, 15, tracker, &last));
	wait_for(last);
	EXPECT(nrta_tensor_read(got, b, 0, 8, 16, tracker, &last) == NRT_INVALID);
}

static void run_model(const struct client_model *m, nrta_error_tracker_t *tracker)
{
	const nrta_error_t *errors;
	nrta_seq_t seq, last;
	size_t count;

	for (int i = 0; i < 4; i++)
		SUCCEED(nrta_execute_schedule(m->model, m->inputs, m->outputs, 0, tracker, &seq));
	wait_for(seq);
	EXPECT(NRTA_SEQ_GET_SEQ_NUM(seq) == 4);
	SUCCEED(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &last));
	EXPECT(last == seq);
	EXPECT(nrta_get_sequence(0, NRTA_XU_TYPE_NUM, 0, &last) == NRT_INVALID);
	SUCCEED(nrta_error_tracker_get_list(tracker, &errors, &count));
	EXPECT(count == 0);
	SUCCEED(nrta_execute_schedule(m->model, NULL, m->outputs, 0, tracker, &seq));
	wait_for(seq);
	SUCCEED(nrta_error_tracker_get_list(tracker, &errors, &count));
	EXPECT(count == 1 && errors[0].seq_id == seq);
	EXPECT(errors[0].error_code == NRT_EXEC_BAD_INPUT);
	SUCCEED(nrta_error_tracker_get_list(tracker, &errors, &count));
	EXPECT(count == 0); /* each error is reported once */
}

static void reduce(const struct client_model *m)
{
	uint32_t group[1] = {0};
	nrt_cc_comm_t comm = {group, 0, 1, 0, 1, 0};
	nrt_tensor_t *input = m->input, *output = m->output;
	nrt_tensor_list_t inputs = {&input, 1}, outputs = {&output, 1};
	nrt_cc_context_t *context;
	nrta_seq_t seq;

	SUCCEED(nrta_cc_prepare(&comm, &inputs, &outputs, NRT_DTYPE_INT8, NRT_OP_ADD,
				NRT_CC_ALLREDUCE, &context));
	SUCCEED(nrta_cc_schedule(&context, 0, NULL, &seq));
	EXPECT(!context);
	wait_for(seq);
}

int main(int argc, char **argv)
{
	nrta_error_tracker_t *tracker, *short_lived;
	const nrta_error_t *errors;
	struct client_model loaded;
	nrta_seq_t seq;
	size_t count;
	int fd;

	if (argc != 2)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
	loaded = client_load(argv[1], 0);
	SUCCEED(nrta_error_tracker_create(0, &tracker));
	EXPECT(nrta_error_tracker_create(999, &short_lived) == NRT_INVALID);
	EXPECT(nrta_error_tracker_create(0, NULL) == NRT_INVALID);
	EXPECT(nrta_get_completion_handle(12345, &fd) == NRT_INVALID);
	move_tensors(tracker);
	run_model(&loaded, tracker);
	reduce(&loaded);
	/* an error whose tracker is gone is dropped */
	SUCCEED(nrta_error_tracker_create(0, &short_lived));
	SUCCEED(nrta_execute_schedule(loaded.model, NULL, NULL, 0, short_lived, &seq));
	nrta_error_tracker_destroy(short_lived);
	wait_for(seq);
	EXPECT(nrta_error_tracker_get_list(short_lived, &errors, &count) == NRT_INVALID_HANDLE);
	nrta_error_tracker_destroy(NULL);
	nrta_error_tracker_destroy(tracker);
	nrt_close();
	EXPECT(nrta_error_tracker_create(0, &tracker) == NRT_CLOSED);
	puts("version 2 works");
	return 0;
}
