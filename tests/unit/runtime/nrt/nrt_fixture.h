/* SPDX-License-Identifier: Apache-2.0 */
/* nrt_fixture: a process that uses the runtime, with a small NEFF and a folder of its own. */
#ifndef NX_TESTS_NRT_FIXTURE_H
#define NX_TESTS_NRT_FIXTURE_H

#include <nrt/nrt.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/ntff.h"

/* A NEFF with one input and one output; made once. */
const struct nx_bytes *nx_fixture_neff(void);
/* Of its tensors. */
extern const char nx_fixture_input[], nx_fixture_output[];
size_t nx_fixture_tensor_bytes(void);

/* nrt_init on the idle device, quiet, without other processes; checks that it works. */
void nx_fixture_init(void);
/* The same, and nrt_close, before and after a test. */
int nx_fixture_begin(void **state);
int nx_fixture_end(void **state);

/* The model on a core, and sets with its tensors (which belong to the sets' caller). */
struct nx_fixture_run {
	nrt_model_t *model;
	nrt_tensor_t *input, *output;
	nrt_tensor_set_t *inputs, *outputs;
};
struct nx_fixture_run nx_fixture_load(int core);

/* A new folder; nx_fixture_remove takes it away with all that is in it. */
const char *nx_fixture_folder(void);
void nx_fixture_remove(void);

/* The only file below the folder whose name ends so; fails when there is none or more. */
const char *nx_fixture_find(const char *suffix);
size_t nx_fixture_count(const char *suffix);

/* NEURON_RT_INSPECT_ENABLE=1 into the folder, and nothing else set; then the runtime is closed. */
int nx_fixture_begin_inspect(void **state);
int nx_fixture_end_inspect(void **state);
struct nx_ntff nx_fixture_read_ntff(const char *path, struct nx_arena *arena);

#endif
