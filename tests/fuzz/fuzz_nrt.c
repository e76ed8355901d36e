/* SPDX-License-Identifier: Apache-2.0 */
/* Loads any bytes as a NEFF into the runtime, asks for its tensors and unloads it again. */
#include <nrt/nrt_experimental.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void look_at(nrt_model_t *model)
{
	nrt_tensor_info_array_t *list;

	require(nrt_get_model_tensor_info(model, &list) == NRT_SUCCESS);
	for (uint64_t i = 0; i < list->tensor_count; i++)
		require(list->tensor_array[i].ndim <= 16);
	nrt_free_model_tensor_info(list);
	require(nrt_unload(model) == NRT_SUCCESS);
	require(nrt_unload(model) == NRT_INVALID_HANDLE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool is_ready;
	nrt_model_t *model;
	nrt_vnc_memory_stats_t stats;
	size_t size;

	if (!is_ready) {
		setenv("NEURON_RT_LOG_LEVEL", "OFF", 1);
		setenv("NEURON_EXPLORER_DEVICE", "idle", 1);
		require(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
		is_ready = true;
	}
	if (nrt_load(data, len, 0, -1, &model) == NRT_SUCCESS)
		look_at(model);
	require(nrt_get_vnc_memory_stats(0, &stats, sizeof(stats), &size) == NRT_SUCCESS);
	require(stats.bytes_used == 0);
	return 0;
}
