/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for the Neuron runtime that does something worth a snapshot, and then waits until its
 * input ends. It knows nothing of the profiler: variables make it record.
 * usage: recorded_program ranks RANK COUNT BARRIERS   meets COUNT ranks so many times
 *        recorded_program memory BYTES                allocates so much device memory
 *        recorded_program runs NEFF COUNT             executes a model so many times
 */
#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(NRT_STATUS status, const char *what)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "recorded_program: %s: %s\n", what, nrt_get_status_as_str(status));
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

static void run_model(const char *path, int count)
{
	nrt_tensor_info_array_t *list;
	nrt_tensor_set_t *sets[2];
	nrt_model_t *model;
	size_t len;
	void *bytes = read_file(path, &len);

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
	require(nrt_execute_repeat(model, sets[0], sets[1], count), "nrt_execute_repeat");
}

static void meet(uint32_t rank, uint32_t count, int barriers)
{
	for (int i = 0; i < barriers; i++)
		require(nrt_barrier(0, rank, count), "nrt_barrier");
}

int main(int argc, char **argv)
{
	nrt_tensor_t *tensor;
	char line[8];

	if (argc < 3)
		return 2;
	require(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	if (strcmp(argv[1], "ranks") == 0 && argc == 5)
		meet((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), atoi(argv[4]));
	else if (strcmp(argv[1], "memory") == 0)
		printf("status %d\n",
		       (int)nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0,
						strtoull(argv[2], NULL, 0), "t", &tensor));
	else if (strcmp(argv[1], "runs") == 0 && argc == 4)
		run_model(argv[2], atoi(argv[3]));
	printf("done\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	nrt_close();
	return 0;
}
