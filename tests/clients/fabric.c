/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What network libraries (libfabric, nixl, perftest) do: find the runtime at run time, ask for
 * cores before anything is initialised, and register device memory as dma-buf if that is possible.
 * usage: fabric
 */
#include <dlfcn.h>
#include <nrt/nrt.h>
#include <stdint.h>
#include <string.h>

#include "tests/clients/client.h"

static struct {
	__typeof__(nrt_init) *nrt_init;
	__typeof__(nrt_get_total_nc_count) *nrt_get_total_nc_count;
	__typeof__(nrt_tensor_allocate) *nrt_tensor_allocate;
	__typeof__(nrt_tensor_free) *nrt_tensor_free;
	__typeof__(nrt_tensor_get_va) *nrt_tensor_get_va;
	__typeof__(nrt_get_dmabuf_fd) *nrt_get_dmabuf_fd;
	__typeof__(nrt_get_dmabuf_fd_v2) *nrt_get_dmabuf_fd_v2;
	__typeof__(nrt_close) *nrt_close;
} api;

static void find_functions(void)
{
	void *library = dlopen("libnrt.so.1", RTLD_NOW);

	EXPECT(library);
#define FIND(name)                                                                                 \
	do {                                                                                       \
		*(void **)&api.name = dlsym(library, #name);                                       \
		EXPECT(api.name);                                                                  \
	} while (0)
	FIND(nrt_init);
	FIND(nrt_get_total_nc_count);
	FIND(nrt_tensor_allocate);
	FIND(nrt_tensor_free);
	FIND(nrt_tensor_get_va);
	FIND(nrt_get_dmabuf_fd);
	FIND(nrt_get_dmabuf_fd_v2);
	FIND(nrt_close);
#undef FIND
}

/* A failure other than NRT_RESOURCE means: register the memory without dma-buf. */
static void register_memory(uint64_t va, uint64_t size)
{
	uint64_t offset = 0;
	int fd = -1;
	NRT_STATUS status = api.nrt_get_dmabuf_fd_v2(va, size, &fd, &offset);

	EXPECT(status != NRT_RESOURCE);
	if (status != NRT_SUCCESS)
		EXPECT(api.nrt_get_dmabuf_fd(va, size, &fd) == status && fd == -1);
}

int main(void)
{
	nrt_tensor_t *tensor;
	uint32_t cores = 0;
	char *va;

	find_functions();
	SUCCEED(api.nrt_get_total_nc_count(&cores));
	EXPECT(cores > 0);
	SUCCEED(api.nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "none", ""));
	SUCCEED(api.nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8192, NULL, &tensor));
	va = api.nrt_tensor_get_va(tensor);
	EXPECT(va);
	memset(va, 7, 8192);
	register_memory((uint64_t)(uintptr_t)va, 8192);
	register_memory((uint64_t)(uintptr_t)va + 4096, 4096);
	api.nrt_tensor_free(&tensor);
	api.nrt_close();
	printf("%u cores\n", cores);
	return 0;
}
