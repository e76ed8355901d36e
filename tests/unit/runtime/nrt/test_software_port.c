/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bare/bits.h"
#include "base/file.h"
#include "format/ntff.h"
#include "runtime/nrt/loaded_model.h"
#include "tests/data/synthetic.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

#define KERNEL NX_TEST_DATA "/neuron-device/fused_bf16_s512/fused.neff"
#define ELEMENTS (512 * 128)
#define BF16_ONE 0x3f80

static void init_software(void)
{
	nx_fixture_init();
	setenv("NEURON_EXPLORER_DEVICE", "software", 1);
}

static void fill(nrt_tensor_t *tensor, uint16_t value)
{
	static uint8_t bytes[2 * ELEMENTS];

	for (size_t i = 0; i < ELEMENTS; i++)
		nx_store16(bytes + 2 * i, value);
	assert_int_equal(nrt_tensor_write(tensor, bytes, 0, sizeof(bytes)), NRT_SUCCESS);
}

static nrt_tensor_t *add(nrt_tensor_set_t *set, const char *name, uint16_t value)
{
	nrt_tensor_t *tensor;

	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 2 * ELEMENTS, name,
					     &tensor),
			 NRT_SUCCESS);
	fill(tensor, value);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, name, tensor), NRT_SUCCESS);
	return tensor;
}

/* Queries of zero attend to everything alike: the result is the mean of the values, which are 1. */
static void a_real_kernel_computes(void **state)
{
	static uint8_t result[2 * ELEMENTS];
	nrt_tensor_set_t *inputs, *outputs;
	nrt_tensor_t *output;
	nrt_model_t *model;
	struct nx_file file;

	(void)state;
	if (access(KERNEL, R_OK) != 0) {
		print_message("# no real NEFF beside the repository: not run\n");
		return;
	}
	assert_int_equal(nx_file_map(&file, KERNEL, NULL), NX_OK);
	init_software();
	assert_int_equal(nrt_load(file.bytes.data, file.bytes.len, 0, -1, &model), NRT_SUCCESS);
	assert_int_equal(nrt_allocate_tensor_set(&inputs), NRT_SUCCESS);
	assert_int_equal(nrt_allocate_tensor_set(&outputs), NRT_SUCCESS);
	add(inputs, "q_ref", 0);
	add(inputs, "k_ref", BF16_ONE);
	add(inputs, "v_ref", BF16_ONE);
	output = add(outputs, "kernel_out", 0x4242);
	for (int i = 0; i < 2; i++) {
		fill(output, 0x4242);
		assert_int_equal(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
		assert_int_equal(nrt_tensor_read(output, result, 0, sizeof(result)), NRT_SUCCESS);
		for (size_t e = 0; e < ELEMENTS; e++)
			assert_int_equal(nx_load16(result + 2 * e), BF16_ONE);
	}
	nrt_close();
	nx_file_unmap(&file);
}

/* The NEFF of the demo looks real but is no program: its engines wait for each other. */
static void a_program_that_hangs_is_an_error(void **state)
{
	struct nx_bytes neff = {0}, ntff = {0};
	struct nx_fixture_run run;
	nrt_model_t *model;

	(void)state;
	nx_synthetic_capture(&nx_synthetic_demo, &neff, &ntff, NULL);
	init_software();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_load(neff.items, neff.len, 0, -1, &model), NRT_SUCCESS);
	for (int i = 0; i < 2; i++)
		assert_int_equal(nrt_execute(model, run.inputs, run.outputs), NRT_TIMEOUT);
	nrt_close();
	nx_vec_release(&neff);
	nx_vec_release(&ntff);
}

/* Times alone: outputs are zero, and profiles have rings. */
static void times_alone_leave_outputs_zero(void **state)
{
	static uint8_t result[524288];
	struct nx_fixture_run run;

	(void)state;
	init_software();
	setenv("NEURON_SIM", "timing", 1);
	run = nx_fixture_load(0);
	memset(result, 0x42, sizeof(result));
	assert_int_equal(nrt_tensor_write(run.output, result, 0, sizeof(result)), NRT_SUCCESS);
	assert_int_equal(nrt_execute(run.model, run.inputs, run.outputs), NRT_SUCCESS);
	assert_int_equal(nrt_tensor_read(run.output, result, 0, sizeof(result)), NRT_SUCCESS);
	for (size_t i = 0; i < sizeof(result); i++)
		assert_int_equal(result[i], 0);
	nrt_close();
	unsetenv("NEURON_SIM");
}

/* Numbers, times and tensors all come from the model's own NEFF: it is unpacked once. */
static void a_model_has_one_unpacked_copy(void **state)
{
	(void)state;
	for (int times_alone = 0; times_alone < 2; times_alone++) {
		const struct nx_device_program *program;
		struct nx_fixture_run run;
		struct nx_model *model;

		init_software();
		if (times_alone)
			setenv("NEURON_SIM", "timing", 1);
		run = nx_fixture_load(0);
		assert_int_equal(nx_model_acquire(run.model, &model), NRT_SUCCESS);
		program = model->port->code(model->program)->program;
		assert_int_equal(program->core_count, model->neff.graph_count);
		for (size_t g = 0; g < program->core_count; g++)
			for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
				assert_ptr_equal(program->cores[g].code[e].data,
						 model->neff.graphs[g].engines[e].code.data);
		for (size_t t = 0; t < program->tensor_count; t++)
			assert_ptr_equal(program->tensors[t].name, model->neff.tensors[t]->name);
		nx_object_drop(&model->object);
		nrt_close();
		unsetenv("NEURON_SIM");
	}
}

struct saved {
	struct nx_file file;
	struct nx_arena arena;
	struct nx_ntff ntff;
};

static void open_saved(struct saved *saved, const char *path)
{
	struct nx_error err;

	memset(saved, 0, sizeof(*saved));
	assert_int_equal(nx_file_map(&saved->file, path, NULL), NX_OK);
	assert_int_equal(nx_ntff_read(saved->file.bytes, &saved->arena, &saved->ntff, &err), NX_OK);
}

static void close_saved(struct saved *saved)
{
	nx_arena_release(&saved->arena);
	nx_file_unmap(&saved->file);
}

struct worker {
	struct nx_fixture_run run;
	int repeat_count;
};

static void *work(void *context)
{
	struct worker *worker = context;

	for (int i = 0; i < worker->repeat_count; i++)
		assert_int_equal(nrt_execute(worker->run.model, worker->run.inputs,
					     worker->run.outputs),
				 NRT_SUCCESS);
	return NULL;
}

/* Two cores at once, while somebody saves; each clock counts its own core's executions. */
static void cores_are_profiled_at_once(void **state)
{
	const char *folder = nx_fixture_folder();
	nrt_profile_continuous_options_t *options;
	struct worker workers[2];
	pthread_t threads[2];
	struct saved saved;
	int turn;

	(void)state;
	init_software();
	setenv("NEURON_SIM", "timing", 1);
	assert_int_equal(nrt_profile_continuous_options_allocate(&options), NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_options_set_output_dir(options, folder),
			 NRT_SUCCESS);
	assert_int_equal(nrt_profile_continuous_start(options), NRT_SUCCESS);
	for (int i = 0; i < 2; i++) {
		workers[i] = (struct worker){nx_fixture_load(i), 3 + 5 * i};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	turn = nrt_profile_continuous_save(0, options) == NRT_SUCCESS ? 2 : 1; /* if there is one */
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(nrt_profile_continuous_save(1, options), NRT_SUCCESS);
	open_saved(&saved, nx_fixture_find(turn == 1 ? "_vnc_1_1.ntff" : "_vnc_1_2.ntff"));
	assert_int_equal(saved.ntff.info.executions.count, 1);
	assert_true(saved.ntff.info.executions.items[0].start_ps > UINT64_C(3600000000000000));
	assert_int_equal(saved.ntff.info.nodes.items[0].device.graphs.items[0].nc_idx, 2);
	assert_int_equal(saved.ntff.info.session_rings.items[0].core_idx, 2);
	assert_true(saved.ntff.info.session_rings.items[0].size > 0);
	assert_int_equal(saved.ntff.info.pid, 0);
	close_saved(&saved);
	nrt_profile_continuous_options_free(options);
	nrt_close();
	unsetenv("NEURON_SIM");
	nx_fixture_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_kernel_computes),
		cmocka_unit_test(a_model_has_one_unpacked_copy),
		cmocka_unit_test(times_alone_leave_outputs_zero),
		cmocka_unit_test(cores_are_profiled_at_once),
		cmocka_unit_test(a_program_that_hangs_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
