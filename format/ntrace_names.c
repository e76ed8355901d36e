/* SPDX-License-Identifier: Apache-2.0 */
/* ntrace_names: names for files that bring none, and the ids under which files intern texts. */
#include "base/bare/bits.h"
#include "format/ntrace.h"

#define INTERNED_BITS 50

/* As runtime 2.30 writes them into its own files. */
static const char *const event_names[] = {
	"generic",
	"nrt_load",
	"async_post_request",
	"nrt_execute",
	"kmgr_exec_core",
	"nrt_load_collectives",
	"cc_exec_barrier",
	"nc_exec_running",
	"cc_running",
	"nrt_tensor_read",
	"nrt_tensor_write",
	"nrt_tensor_read_batch",
	"nrt_tensor_write_batch",
	"numerical_err",
	"enc_barrier_recv",
	"enc_barrier_send",
	"enc_barrier",
	"kbl_exec_pre",
	"kbl_exec_core",
	"kbl_exec_wait",
	"kbl_exec_post",
	"nrt_model_switch",
	"nrt_model_submit",
	"nrt_async_sema_wait",
	"hw_notify",
	"timestamp_sync_point",
	"nc_model_switch",
	"nrt_tensor_allocate",
	"nrt_tensor_free",
	"tensor_block_while_exec",
	"dmem_buf_copyin",
	"dmem_buf_copyout",
	"dmem_buf_batch_copyin",
	"dmem_buf_batch_copyout",
	"nrt_dma_mem_alloc",
	"nrt_dma_mem_dealloc",
	"exec_consume_nc_status_notifications",
	"exec_consume_cc_core_notifications",
	"notification_consume_errors",
	"exec_consume_gpsimd_stdio",
};

static const char *const hardware_names[] = {
	"cc_exec_barrier", "nc_exec_running",	   "cc_running",      "numerical_err",
	"hw_notify",	   "timestamp_sync_point", "nc_model_switch",
};

static const char *const memory_categories[NX_NTRACE_CATEGORIES] = {
	"generic",
	"pe",
	"act",
	"pool",
	"io",
	"spill",
	"weight",
	"profiler buffers",
	"act table",
	"dve",
	"sp",
	"shared scratchpad",
	"tensor",
	"ucode",
	"pool stdio",
	"collectives",
	"scratchpad",
	"xt cc",
	"dma rings runtime",
	"dma rings spill",
	"dma rings io",
	"dma rings collectives",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *nx_ntrace_event_name(uint64_t event_type)
{
	return event_type < COUNT_OF(event_names) ? event_names[event_type] : NULL;
}

bool nx_ntrace_is_hardware(const char *event_name)
{
	for (size_t i = 0; i < COUNT_OF(hardware_names); i++)
		if (!strcmp(event_name, hardware_names[i]))
			return true;
	return false;
}

const char *nx_ntrace_category_name(uint64_t usage_type)
{
	return usage_type < COUNT_OF(memory_categories) ? memory_categories[usage_type] : NULL;
}

/* --- interned ids: SipHash-1-3 -------------------------------------------------- */

struct sip {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static void sip_word(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	s->v0 ^= word;
}

uint64_t nx_ntrace_intern_id(struct nx_slice text)
{
	struct sip s = {UINT64_C(0x736f6d6570736575), UINT64_C(0x646f72616e646f6d),
			UINT64_C(0x6c7967656e657261), UINT64_C(0x7465646279746573)};
	uint64_t hashed_len = (uint64_t)text.len + 1; /* with the 0xFF after the text */
	uint8_t tail[16] = {0};
	size_t i = 0;

	for (; text.len - i >= 8; i += 8)
		sip_word(&s, nx_load64(text.data + i));
	if (i < text.len)
		memcpy(tail, text.data + i, text.len - i);
	tail[text.len - i] = 0xff;
	if (hashed_len % 8 == 0) {
		sip_word(&s, nx_load64(tail));
		memset(tail, 0, 8);
	}
	sip_word(&s, nx_load64(tail) | hashed_len << 56);
	s.v2 ^= 0xff;
	for (int round = 0; round < 3; round++)
		sip_round(&s);
	return ((s.v0 ^ s.v1 ^ s.v2 ^ s.v3) & ((UINT64_C(1) << INTERNED_BITS) - 1)) + 1;
}
