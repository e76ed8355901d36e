/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/neff_match.h"

enum { UUID_BYTES = sizeof(((struct nx_binary *)0)->uuid) };

/* Version 6 stores all sixteen bytes. Older runtimes copied the id as a C string, so only the bytes
 * before its first zero can be compared; an id that starts with zero matches anything. */
bool nx_neff_has_id(struct nx_slice uid, struct nx_slice uuid, const uint8_t neff_uuid[16])
{
	const uint8_t *zero = memchr(neff_uuid, 0, UUID_BYTES);
	size_t len = zero ? (size_t)(zero - neff_uuid) : UUID_BYTES;

	if (uid.len == UUID_BYTES)
		return !memcmp(uid.data, neff_uuid, UUID_BYTES);
	return uuid.len >= len && !memcmp(uuid.data, neff_uuid, len);
}

/* NX_NONE: it is of none, or its model has one already. */
static uint32_t take_model(struct nx_capture *capture, const struct nx_binary *binary)
{
	uint32_t model_idx = NX_NONE;

	if (capture->model_count < 2)
		return nx_neff_has_id(capture->uid, capture->uuid, binary->uuid) ? 0 : NX_NONE;
	for (uint32_t g = 0; g < capture->graph_count; g++) {
		struct nx_graph *graph = &capture->graphs[g];

		if (graph->is_of_other_neff &&
		    nx_neff_has_id(graph->uid, graph->uid, binary->uuid)) {
			graph->is_of_other_neff = false;
			model_idx = graph->model_idx;
		}
	}
	return model_idx;
}

size_t nx_neff_join(struct nx_capture *capture, struct nx_binary *binaries, size_t count)
{
	size_t kept = 0;

	for (uint32_t g = 0; g < capture->graph_count; g++)
		capture->graphs[g].is_of_other_neff = capture->model_count > 1;
	for (size_t i = 0; i < count; i++) {
		uint32_t model_idx = take_model(capture, &binaries[i]);

		if (model_idx == NX_NONE)
			continue;
		binaries[kept] = binaries[i];
		binaries[kept++].model_idx = model_idx;
		if (capture->model_count < 2)
			break;
	}
	return kept;
}
