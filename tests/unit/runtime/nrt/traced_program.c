/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program written for the Neuron runtime, with nothing of ours but its headers.
 * usage: traced_program NEFF COUNT   loads, runs COUNT times, closes
 */
#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <stdio.h>
#include <stdlib.h>

static void require(NRT_STATUS status, const char *what)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "traced_program: %s: %s\n", what, nrt_get_status_as_str(status));
	exit(1);
}

static void *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *bytes = malloc(1 << 24);

	*len = file && bytes ? fread(bytes, 1, 1 << 24, file) : 0;
	if (file)
		fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	nrt_tensor_set_t *sets[2];
	nrt_tensor_info_array_t *list;
	nrt_model_t *model;
	size_t len;
	void *bytes;

	if (argc < 3)
		return 2;
	bytes = read_file(argv[1], &len);
	require(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	require(nrt_load(bytes, len, 0, -1, &model), "nrt_load");
	free(bytes);
	require(nrt_allocate_tensor_set(&sets[0]), "nrt_allocate_tensor_set");
	require(nrt_allocate_tensor_set(&sets[1]), "nrt_allocate_tensor_set");
	require(nrt_get_model_tensor_info(model, &list), "nrt_get_model_tensor_info");
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		nrt_tensor_info_t *info = &list->tensor_array[i];
		nrt_tensor_t *tensor;

		require(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name,
					    &tensor),
			"nrt_tensor_allocate");
		require(nrt_add_tensor_to_tensor_set(sets[info->usage], info->name, tensor),
			"nrt_add_tensor_to_tensor_set");
	}
	nrt_free_model_tensor_info(list);
	require(nrt_execute_repeat(model, sets[0], sets[1], atoi(argv[2])), "nrt_execute_repeat");
	nrt_close();
	return 0;
}
