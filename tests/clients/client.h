/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: what the programs of this folder share. They are written as programs for the Neuron
 * runtime are, with nothing of ours but the published headers.
 */
#ifndef TESTS_CLIENTS_CLIENT_H
#define TESTS_CLIENTS_CLIENT_H

#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define SUCCEED(call) EXPECT((call) == NRT_SUCCESS)

struct client_model {
	nrt_model_t *model;
	nrt_tensor_set_t *inputs, *outputs;
	nrt_tensor_t *input, *output; /* the first of each */
};

/* Loads a NEFF onto a core and gives it tensors of its own. */
static inline struct client_model client_load(const char *path, int core)
{
	struct client_model loaded = {0};
	nrt_tensor_info_array_t *list;
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(1 << 24);
	size_t len;

	EXPECT(file && bytes);
	len = fread(bytes, 1, 1 << 24, file);
	fclose(file);
	SUCCEED(nrt_load(bytes, len, core, 1, &loaded.model));
	free(bytes);
	SUCCEED(nrt_allocate_tensor_set(&loaded.inputs));
	SUCCEED(nrt_allocate_tensor_set(&loaded.outputs));
	SUCCEED(nrt_get_model_tensor_info(loaded.model, &list));
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		const nrt_tensor_info_t *info = &list->tensor_array[i];
		int is_output = info->usage == NRT_TENSOR_USAGE_OUTPUT;
		nrt_tensor_t *tensor;

		SUCCEED(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, info->size,
					    info->name, &tensor));
		SUCCEED(nrt_add_tensor_to_tensor_set(is_output ? loaded.outputs : loaded.inputs,
						     info->name, tensor));
		if (is_output && !loaded.output)
			loaded.output = tensor;
		if (!is_output && !loaded.input)
			loaded.input = tensor;
	}
	SUCCEED(nrt_free_model_tensor_info(list));
	return loaded;
}

#endif
