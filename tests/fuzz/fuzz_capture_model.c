/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture reads of a model: a NEFF whose kelf-0.json, def.json and
 * tensor_map.json are the input's lines. Whatever comes, names end, dimensions
 * stay within bounds, and a plan can be made or is refused.
 */
#include "capture/capture_plan.h"
#include "format/neff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct nx_slice take_line(struct nx_slice *text)
{
	const uint8_t *end = text->len ? memchr(text->data, '\n', text->len) : NULL;
	size_t len = end ? (size_t)(end - text->data) : text->len;
	struct nx_slice line = nx_slice_part(*text, 0, len);

	*text = nx_slice_part(*text, len + 1, text->len);
	return line;
}

static void check(const struct nx_capture_model *model, struct nx_arena *arena)
{
	const struct nx_capture_wishes wishes = {.saves_raw = true};
	struct nx_capture_plan plan;
	struct nx_error err;
	char names[100];

	nx_capture_model_names(model, false, names, sizeof(names));
	if (strlen(names) >= sizeof(names))
		__builtin_trap();
	for (size_t i = 0; i < model->tensor_count; i++)
		if (model->tensors[i].dims > NX_CAPTURE_MAX_DIMS)
			__builtin_trap();
	if (nx_capture_plan_make(&plan, &wishes, model, arena, &err))
		return;
	for (size_t i = 0; i < model->tensor_count; i++) {
		const char *path =
			nx_capture_plan_output(&plan, model->tensors[i].name, ".npy", 0, 1, arena);

		/* only the worker's own folder */
		if (plan.is_collective && nx_slice_starts(nx_slice_text(path), "output_worker_0/"))
			path = strchr(path, '/') + 1;
		if (strchr(path, '/') || path[0] == '.')
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice rest = nx_slice_of(data, size);
	struct nx_neff_member members[] = {
		{nx_slice_text("kelf-0.json"), nx_slice_text("")},
		{nx_slice_text("sg00/def.json"), nx_slice_text("")},
		{nx_slice_text("sg00/tensor_map.json"), nx_slice_text("")},
	};
	struct nx_neff_header header = {.package_version = 1, .header_size = NX_NEFF_HEADER_BYTES};
	struct nx_capture_model model;
	struct nx_arena arena = {0};
	struct nx_bytes file = {0};
	struct nx_error err;

	members[0].bytes = nx_slice_text("{\"graphs\":[{\"definition\":\"sg00/def.json\"}]}");
	if (size && data[0] != '{')
		members[0].bytes = take_line(&rest);
	members[1].bytes = take_line(&rest);
	members[2].bytes = rest;
	nx_neff_write(&header, members, 3, &file);
	if (!nx_capture_model_read(nx_slice_of(file.items, file.len), &arena, &model, &err))
		check(&model, &arena);
	nx_vec_release(&file);
	nx_arena_release(&arena);
	return 0;
}
