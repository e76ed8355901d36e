/* SPDX-License-Identifier: Apache-2.0 */
#include "machine/hardware.h"

#include <assert.h>
#include <stddef.h>

#define GIB (UINT64_C(1) << 30)
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static_assert(NX_PSUM_BASE == 0x2000000u, "PSUM follows SBUF at 32 MiB in every operand");
static_assert(NX_PSUM_BANK_BYTES == 2048, "a bank holds 512 fp32 sums");

const char *nx_engine_label(enum nx_engine engine)
{
	static const char *const labels[] = {"PE", "Act", "Pool", "DVE", "SP"};

	static_assert(COUNT(labels) == NX_ENGINE_COUNT, "every engine has a label");
	assert(engine < NX_ENGINE_COUNT);
	return labels[engine];
}

const struct nx_engine_names nx_engines[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = {"Tensor", "tensor", "pe", "PE"},
	[NX_ENGINE_SCALAR] = {"Scalar", "scalar", "act", "Activation"},
	[NX_ENGINE_GPSIMD] = {"GpSimd", "gpsimd", "pool", "Pool"},
	[NX_ENGINE_VECTOR] = {"Vector", "vector", "dve", "DVE"},
	[NX_ENGINE_SYNC] = {"Sync", "sync", "sp", "SP"},
};

/* Clocks and bandwidths as AWS's own exports state them; sizes as published per generation. */
static const struct nx_hardware generations[] = {
	[NX_ARCH_V2] = {.name = "trn1/inf2",
			.tensor_clock_ghz = 2.8,
			.engine_clock_ghz = 1.4,
			.hbm_bytes_per_s = UINT64_C(410000000000),
			.dma_bytes_per_s = UINT64_C(435000000000),
			.sbuf_partition_bytes = 192u << 10,
			.psum_partition_bytes = NX_PSUM_PARTITION_BYTES,
			.array_rows = NX_ARRAY_ROWS,
			.array_columns = NX_ARRAY_COLUMNS,
			.vector_clock_ghz = 1.12,
			.partition_count = NX_PARTITION_COUNT,
			.dma_engine_count = NX_DMA_ENGINE_COUNT,
			.hbm_bytes = 16 * GIB},
	[NX_ARCH_V3] = {.name = "trn2",
			.tensor_clock_ghz = 2.4,
			.engine_clock_ghz = 1.2,
			.hbm_bytes_per_s = UINT64_C(716000000000),
			.dma_bytes_per_s = UINT64_C(435000000000),
			.sbuf_partition_bytes = 224u << 10,
			.psum_partition_bytes = NX_PSUM_PARTITION_BYTES,
			.array_rows = NX_ARRAY_ROWS,
			.array_columns = NX_ARRAY_COLUMNS,
			.vector_clock_ghz = 0.96,
			.partition_count = NX_PARTITION_COUNT,
			.dma_engine_count = NX_DMA_ENGINE_COUNT,
			.hbm_bytes = 24 * GIB},
};

const struct nx_hardware *nx_hardware_of(unsigned arch)
{
	return arch < COUNT(generations) && generations[arch].name ? &generations[arch] : NULL;
}

bool nx_address_is_on_chip(uint64_t address, unsigned arch)
{
	if (arch == NX_ARCH_V2)
		return address - UINT64_C(0xfffc0000000) < NX_PSUM_BASE;
	return (address & UINT64_C(0xfff000000000)) == NX_ON_CHIP_ADDRESS;
}

static const struct nx_chip chips[] = {
	{NX_DEVICE_TRN1, "trn1", "sunda", NX_ARCH_V2},
	{NX_DEVICE_INF2, "inf2", "sunda", NX_ARCH_V2},
	{NX_DEVICE_TRN2, "trn2", "cayman", NX_ARCH_V3},
	{NX_DEVICE_TRN3, "trn3", "mariana", NX_ARCH_V4},
};

const struct nx_chip *nx_chip_of(enum nx_device_arch device)
{
	for (size_t i = 0; i < COUNT(chips); i++)
		if (chips[i].device == device)
			return &chips[i];
	return NULL;
}

const struct nx_chip *nx_chip_find(struct nx_slice name)
{
	static const char *const generation_names[] = {"v1", "v2", "v3", "v4"};

	for (size_t i = 0; i < COUNT(chips); i++)
		if (nx_slice_is(name, chips[i].name) || nx_slice_is(name, chips[i].target) ||
		    nx_slice_is(name, generation_names[chips[i].arch]))
			return &chips[i];
	return NULL;
}

enum nx_arch nx_device_generation(enum nx_device_arch device)
{
	const struct nx_chip *chip = nx_chip_of(device);

	return chip ? chip->arch : NX_ARCH_V3;
}

uint32_t nx_device_sbuf_partition_bytes(enum nx_device_arch device)
{
	const struct nx_chip *chip = nx_chip_of(device);
	const struct nx_hardware *hardware = chip ? nx_hardware_of(chip->arch) : NULL;

	return hardware ? hardware->sbuf_partition_bytes : NX_PARTITION_STRIDE;
}

enum nx_arch nx_target_generation(const char *target)
{
	const struct nx_chip *chip = nx_chip_find(nx_slice_text(target));

	if (chip)
		return chip->arch;
	return *target ? NX_ARCH_V3 : NX_ARCH_V2;
}
