/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that profiles its model, with nothing of ours but the headers.
 * usage: profiled_program NEFF NTFF COUNT         the last of COUNT executions into a file
 *        profiled_program NEFF FOLDER/ COUNT      the same by continuous profiling
 *        profiled_program NEFF NTFF COUNT nan     with inputs that are no numbers
 * Prints the status of the last execution, and a sum over the bytes of its outputs.
 */
#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TENSORS 64

struct model {
	nrt_model_t *handle;
	nrt_tensor_set_t *sets[2];
	nrt_tensor_t *outputs[MOST_TENSORS];
	size_t output_bytes[MOST_TENSORS];
	size_t output_count;
};

static void require(NRT_STATUS status, const char *what)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "profiled_program: %s: %s\n", what, nrt_get_status_as_str(status));
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

/* About one, in float32 as in bfloat16. */
static void fill(nrt_tensor_t *tensor, size_t size, bool is_nan)
{
	unsigned char *bytes = malloc(size);

	for (size_t i = 0; bytes && i < size; i++)
		bytes[i] = is_nan ? 0xff : i & 1 ? 0x3f : 0x80 | (unsigned char)(i / 2 % 16);
	require(bytes ? nrt_tensor_write(tensor, bytes, 0, size) : NRT_RESOURCE,
		"nrt_tensor_write");
	free(bytes);
}

static void load(const char *path, bool is_nan, struct model *model)
{
	nrt_tensor_info_array_t *list;
	size_t len;
	void *bytes = read_file(path, &len);

	require(nrt_load(bytes, len, 0, -1, &model->handle), "nrt_load");
	free(bytes);
	require(nrt_allocate_tensor_set(&model->sets[0]), "nrt_allocate_tensor_set");
	require(nrt_allocate_tensor_set(&model->sets[1]), "nrt_allocate_tensor_set");
	require(nrt_get_model_tensor_info(model->handle, &list), "nrt_get_model_tensor_info");
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		nrt_tensor_info_t *info = &list->tensor_array[i];
		nrt_tensor_t *tensor;

		require(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name,
					    &tensor),
			"nrt_tensor_allocate");
		require(nrt_add_tensor_to_tensor_set(model->sets[info->usage], info->name, tensor),
			"nrt_add_tensor_to_tensor_set");
		if (info->usage == NRT_TENSOR_USAGE_INPUT) {
			fill(tensor, info->size, is_nan);
		} else if (model->output_count < MOST_TENSORS) {
			model->output_bytes[model->output_count] = info->size;
			model->outputs[model->output_count++] = tensor;
		}
	}
	nrt_free_model_tensor_info(list);
}

static unsigned long long sum_outputs(const struct model *model)
{
	unsigned long long sum = 14695981039346656037u;

	for (size_t i = 0; i < model->output_count; i++) {
		unsigned char *bytes = malloc(model->output_bytes[i] + 1);

		require(bytes ? nrt_tensor_read(model->outputs[i], bytes, 0, model->output_bytes[i])
			      : NRT_RESOURCE,
			"nrt_tensor_read");
		for (size_t k = 0; k < model->output_bytes[i]; k++)
			sum = (sum ^ bytes[k]) * 1099511628211u;
		free(bytes);
	}
	return sum;
}

int main(int argc, char **argv)
{
	bool is_continuous = argc > 2 && argv[2][0] && argv[2][strlen(argv[2]) - 1] == '/';
	nrt_profile_continuous_options_t *options = NULL;
	NRT_STATUS status = NRT_SUCCESS;
	struct model model = {0};

	if (argc < 4)
		return 2;
	require(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	load(argv[1], argc > 4, &model);
	if (is_continuous) {
		require(nrt_profile_continuous_options_allocate(&options), "options");
		require(nrt_profile_continuous_options_set_output_dir(options, argv[2]),
			"set_output_dir");
		require(nrt_profile_continuous_start(options), "nrt_profile_continuous_start");
	} else {
		require(nrt_profile_start(model.handle, argv[2]), "nrt_profile_start");
	}
	for (int i = 0; i < atoi(argv[3]); i++)
		status = nrt_execute(model.handle, model.sets[0], model.sets[1]);
	if (is_continuous)
		require(nrt_profile_continuous_save(0, options), "nrt_profile_continuous_save");
	else
		require(nrt_profile_stop(argv[2]), "nrt_profile_stop");
	printf("%s %llx\n", nrt_get_status_as_str(status), sum_outputs(&model));
	if (options)
		nrt_profile_continuous_options_free(options);
	nrt_close();
	return 0;
}
