/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first program of a developer: loads a NEFF, fills its inputs from files, executes it and
 * writes its outputs to NAME.out. Any core, no framework, everything freed.
 * usage: developer_guide NEFF [INPUT FILE]...
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/clients/client.h"

struct mapped {
	void *bytes;
	size_t size;
};

static struct mapped map_file(const char *path)
{
	struct mapped file = {0};
	int fd = open(path, O_RDONLY);
	struct stat st;

	EXPECT(fd >= 0 && fstat(fd, &st) == 0);
	file.size = (size_t)st.st_size;
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT(file.bytes != MAP_FAILED);
	close(fd);
	return file;
}

static void allocate(const nrt_tensor_info_array_t *list, nrt_tensor_usage_t usage,
		     nrt_tensor_set_t **set)
{
	SUCCEED(nrt_allocate_tensor_set(set));
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		const nrt_tensor_info_t *info = &list->tensor_array[i];
		nrt_tensor_t *tensor;

		if (info->usage != usage)
			continue;
		SUCCEED(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name,
					    &tensor));
		SUCCEED(nrt_add_tensor_to_tensor_set(*set, info->name, tensor));
	}
}

static void fill(nrt_tensor_set_t *inputs, const char *name, const char *path)
{
	struct mapped file = map_file(path);
	nrt_tensor_t *tensor;

	SUCCEED(nrt_get_tensor_from_tensor_set(inputs, name, &tensor));
	EXPECT(nrt_tensor_get_size(tensor) == file.size);
	SUCCEED(nrt_tensor_write(tensor, file.bytes, 0, file.size));
	munmap(file.bytes, file.size);
}

static void save(nrt_tensor_set_t *outputs, const nrt_tensor_info_t *info)
{
	void *bytes = malloc(info->size);
	nrt_tensor_t *tensor;
	char path[300];
	FILE *file;

	SUCCEED(nrt_get_tensor_from_tensor_set(outputs, info->name, &tensor));
	SUCCEED(nrt_tensor_read(tensor, bytes, 0, info->size));
	snprintf(path, sizeof(path), "%s.out", info->name);
	file = fopen(path, "wb");
	EXPECT(file && fwrite(bytes, 1, info->size, file) == info->size && fclose(file) == 0);
	free(bytes);
}

static void free_tensors(const nrt_tensor_info_array_t *list, nrt_tensor_usage_t usage,
			 nrt_tensor_set_t **set)
{
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		nrt_tensor_t *tensor;

		if (list->tensor_array[i].usage != usage)
			continue;
		SUCCEED(nrt_get_tensor_from_tensor_set(*set, list->tensor_array[i].name, &tensor));
		nrt_tensor_free(&tensor);
		EXPECT(!tensor);
	}
	nrt_destroy_tensor_set(set);
	EXPECT(!*set);
}

int main(int argc, char **argv)
{
	nrt_tensor_set_t *inputs, *outputs;
	nrt_tensor_info_array_t *list;
	nrt_model_t *model;
	struct mapped neff;

	if (argc < 2 || argc % 2)
		return 2;
	SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
	neff = map_file(argv[1]);
	SUCCEED(nrt_load(neff.bytes, neff.size, -1, -1, &model));
	munmap(neff.bytes, neff.size);
	SUCCEED(nrt_get_model_tensor_info(model, &list));
	allocate(list, NRT_TENSOR_USAGE_INPUT, &inputs);
	allocate(list, NRT_TENSOR_USAGE_OUTPUT, &outputs);
	for (int i = 2; i < argc; i += 2)
		fill(inputs, argv[i], argv[i + 1]);
	SUCCEED(nrt_execute(model, inputs, outputs));
	for (uint64_t i = 0; i < list->tensor_count; i++)
		if (list->tensor_array[i].usage == NRT_TENSOR_USAGE_OUTPUT)
			save(outputs, &list->tensor_array[i]);
	free_tensors(list, NRT_TENSOR_USAGE_INPUT, &inputs);
	free_tensors(list, NRT_TENSOR_USAGE_OUTPUT, &outputs);
	SUCCEED(nrt_free_model_tensor_info(list));
	SUCCEED(nrt_unload(model));
	nrt_close();
	return 0;
}
