/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the examples of documents leave out: a program around them, and the application that is
 * traced in their middle. It runs a model on all cores and keeps the events it can fetch.
 * usage: example_application NEFF FILE_FOR_EVENTS
 */
#include <nrt/nrt.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_sys_trace.h>
#include <stdio.h>
#include <stdlib.h>

#define CORES 4

void example(void);
void application(void);

static const char *neff_path, *events_path;

static void require(NRT_STATUS status, const char *what)
{
	if (status == NRT_SUCCESS)
		return;
	fprintf(stderr, "example_application: %s: %s\n", what, nrt_get_status_as_str(status));
	exit(1);
}

static void execute(nrt_model_t *model, int core)
{
	nrt_tensor_info_array_t *list;
	nrt_tensor_set_t *sets[2];

	require(nrt_allocate_tensor_set(&sets[0]), "nrt_allocate_tensor_set");
	require(nrt_allocate_tensor_set(&sets[1]), "nrt_allocate_tensor_set");
	require(nrt_get_model_tensor_info(model, &list), "nrt_get_model_tensor_info");
	for (uint64_t i = 0; i < list->tensor_count; i++) {
		nrt_tensor_info_t *info = &list->tensor_array[i];
		nrt_tensor_t *tensor;

		require(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, info->size,
					    info->name, &tensor),
			"nrt_tensor_allocate");
		require(nrt_add_tensor_to_tensor_set(sets[info->usage], info->name, tensor),
			"nrt_add_tensor_to_tensor_set");
	}
	nrt_free_model_tensor_info(list);
	require(nrt_execute(model, sets[0], sets[1]), "nrt_execute");
}

static void keep_events(void)
{
	FILE *file = fopen(events_path, "wb");
	size_t len = 0;
	char *events = NULL;

	require(nrt_sys_trace_fetch_events(&events, &len, NULL), "nrt_sys_trace_fetch_events");
	if (!file || fwrite(events, 1, len, file) != len || fclose(file))
		exit(1);
	nrt_sys_trace_buffer_free(events);
}

void application(void)
{
	static char bytes[1 << 24];
	FILE *file = fopen(neff_path, "rb");
	size_t len = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	if (file)
		fclose(file);
	for (int core = 0; core < CORES; core++) {
		nrt_model_t *model;

		require(nrt_load(bytes, len, core, 1, &model), "nrt_load");
		execute(model, core);
		require(nrt_unload(model), "nrt_unload");
	}
	keep_events();
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	neff_path = argv[1];
	events_path = argv[2];
	require(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
	example();
	nrt_close();
	return 0;
}
