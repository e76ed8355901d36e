/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that calls in an odd order, as programs do while they start, fail and end: before
 * nrt_init and after nrt_close, twice, without the other half, with handles of another kind and
 * with NEFFs that are none. Every call must answer, and the program still works at the end.
 * usage: odd_order NEFF
 */
#include <nrt/nrt_async.h>
#include <nrt/nrt_profile.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/clients/client.h"

static char bytes[1 << 24];
static size_t len;

static void outside(NRT_STATUS want)
{
	nrt_model_t *model;
	nrt_tensor_set_t *set;
	nrta_seq_t seq;

	EXPECT(nrt_load(bytes, len, 0, 1, &model) == want);
	EXPECT(nrt_allocate_tensor_set(&set) == want);
	EXPECT(nrt_inspect_begin() == want);
	EXPECT(nrt_inspect_stop() == want);
	EXPECT(nrt_profile_session_start(0) == want);
	EXPECT(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &seq) == want);
	EXPECT(nrta_event_register_xu_completion(0, NRTA_XU_COMPUTE, 0, -1) == want);
}

static void load_what_is_no_neff(void)
{
	nrt_model_t *model;

	EXPECT(nrt_load(NULL, len, 0, 1, &model) == NRT_INVALID);
	EXPECT(nrt_load(bytes, 0, 0, 1, &model) == NRT_INVALID);
	EXPECT(nrt_load(bytes, 100, 0, 1, &model) == NRT_INVALID);
	EXPECT(nrt_load(bytes, len - 1000, 0, 1, &model) == NRT_INVALID);
	EXPECT(nrt_load("no NEFF", 7, 0, 1, &model) == NRT_INVALID);
	EXPECT(nrt_load(bytes, len, 9999, 1, &model) == NRT_LOAD_NOT_ENOUGH_NC);
	EXPECT(nrt_load(bytes, len, 0, 9999, &model) == NRT_LOAD_NOT_ENOUGH_NC);
}

static void inspect_twice(const struct client_model *m)
{
	SUCCEED(nrt_inspect_stop());
	for (int i = 0; i < 2; i++) {
		SUCCEED(nrt_inspect_begin());
		EXPECT(nrt_inspect_begin() == NRT_INVALID);
		SUCCEED(nrt_execute(m->model, m->inputs, m->outputs));
		SUCCEED(nrt_inspect_stop());
		SUCCEED(nrt_inspect_stop());
	}
}

static void confuse_handles(const struct client_model *m)
{
	nrt_tensor_t *none = NULL, *wrong = (nrt_tensor_t *)m->model;
	char buffer[16];

	EXPECT(nrt_execute((nrt_model_t *)m->inputs, m->inputs, m->outputs) == NRT_INVALID_HANDLE);
	EXPECT(nrt_execute(m->model, (nrt_tensor_set_t *)m->model, m->outputs) ==
	       NRT_INVALID_HANDLE);
	EXPECT(nrt_execute(m->model, m->outputs, m->inputs) == NRT_EXEC_BAD_INPUT);
	EXPECT(nrt_unload((nrt_model_t *)m->inputs) == NRT_INVALID_HANDLE);
	EXPECT(nrt_tensor_read(wrong, buffer, 0, sizeof(buffer)) == NRT_INVALID_HANDLE);
	EXPECT(nrt_tensor_write(m->input, buffer, ~UINT64_C(0), 2) == NRT_INVALID);
	EXPECT(nrt_profile_stop("never started") == NRT_INVALID);
	nrt_tensor_free(&none);
	nrt_tensor_free(NULL);
	nrt_tensor_free(&wrong);
}

/* The client closes its eventfd too early, and unloads the model while requests wait. */
static void leave_requests_behind(const struct client_model *m)
{
	int fd = eventfd(0, 0);
	NRT_STATUS status = NRT_FAILURE;
	bool is_over = false;
	nrta_seq_t seq;

	EXPECT(nrta_execute_schedule(m->model, m->inputs, m->outputs, 9, &status, &seq) ==
	       NRT_INVALID);
	EXPECT(nrta_get_sequence(99, NRTA_XU_COMPUTE, 0, &seq) == NRT_INVALID);
	SUCCEED(nrta_event_register_xu_completion(0, NRTA_XU_COMPUTE, 0, fd));
	close(fd);
	for (int i = 0; i < 50; i++)
		SUCCEED(nrta_execute_schedule(m->model, m->inputs, m->outputs, 0, &status, &seq));
	SUCCEED(nrt_unload(m->model));
	while (!is_over)
		SUCCEED(nrta_is_completed(seq, &is_over));
	SUCCEED(status);
	EXPECT(nrt_unload(m->model) == NRT_INVALID_HANDLE);
	EXPECT(nrt_execute(m->model, m->inputs, m->outputs) == NRT_INVALID_HANDLE);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct client_model m;

	EXPECT(file);
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	outside(NRT_UNINITIALIZED);
	nrt_close();
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "odd", "1.0"));
	EXPECT(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "odd", "1.0") == NRT_INVALID);
	load_what_is_no_neff();
	m = client_load(argv[1], 0);
	inspect_twice(&m);
	confuse_handles(&m);
	leave_requests_behind(&m);
	SUCCEED(nrt_profile_session_start(0));
	SUCCEED(nrt_inspect_begin());
	nrt_close();
	nrt_close();
	outside(NRT_CLOSED);
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "odd", "1.0"));
	m = client_load(argv[1], 0);
	SUCCEED(nrt_execute(m.model, m.inputs, m.outputs));
	nrt_close();
	return 0;
}
