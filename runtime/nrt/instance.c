/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/instance.h"

#include <assert.h>
#include <nrt/nrt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/nrt/environment.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/host_identity.h"
#include "runtime/trace/trace_filter.h"

/* The first row of an architecture is its smallest; the first of all is the default. */
static const struct nx_instance_kind kinds[] = {
	{"trn2.3xlarge", NX_DEVICE_TRN2, NRT_INSTANCE_TRN2, NRT_INSTANCE_SIZE_3XL, 1, 8, 4, 2},
	{"trn2.48xlarge", NX_DEVICE_TRN2, NRT_INSTANCE_TRN2, NRT_INSTANCE_SIZE_48XL, 16, 8, 4, 2},
	{"trn1.2xlarge", NX_DEVICE_TRN1, NRT_INSTANCE_TRN1, NRT_INSTANCE_SIZE_2XL, 1, 2, 2, 1},
	{"trn1.32xlarge", NX_DEVICE_TRN1, NRT_INSTANCE_TRN1, NRT_INSTANCE_SIZE_32XL, 16, 2, 2, 1},
	{"inf2.xlarge", NX_DEVICE_INF2, NRT_INSTANCE_INF2, NRT_INSTANCE_SIZE_1XL, 1, 2, 2, 1},
	{"inf2.48xlarge", NX_DEVICE_INF2, NRT_INSTANCE_INF2, NRT_INSTANCE_SIZE_48XL, 12, 2, 2, 1},
};
#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

const struct nx_instance_kind *nx_instance_kind_of(enum nx_device_arch arch)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (arch == NX_DEVICE_ANY || kinds[i].arch == arch)
			return &kinds[i];
	return NULL;
}

bool nx_instance_runs(const struct nx_instance_kind *kind, enum nx_device_arch arch)
{
	return arch == NX_DEVICE_ANY ||
	       nx_device_generation(kind->arch) == nx_device_generation(arch);
}

/* --- cores ---------------------------------------------------------------------- */

static_assert(NX_INSTANCE_CORES_MAX == NX_TRACE_MAX_CORES, "every core can be named");

/* A frequent mistake: physical cores in the list. */
static const char *why_so_few(const struct nx_instance *instance)
{
	return instance->core_size > 1
		       ? "; a number is that of a logical core of two physical ones, unless "
			 "NEURON_LOGICAL_NC_CONFIG=1"
		       : "";
}

static void read_visible(struct nx_instance *instance, const char *text)
{
	struct nx_trace_filter chosen = {0};
	struct nx_error err;
	uint32_t count = 0, missing = 0;

	if (nx_trace_filter_parse_cores(&chosen, text, &err)) {
		nx_log_error("environment", "NEURON_RT_VISIBLE_CORES: %s; using all cores",
			     err.message);
		return;
	}
	for (uint32_t core = 0; core < NX_INSTANCE_CORES_MAX; core++) {
		if (!nx_trace_filter_has_core(&chosen, core))
			continue;
		if (core < instance->total_count)
			instance->visible[count++] = (uint8_t)core;
		else
			missing++;
	}
	if (!count)
		nx_log_error("environment",
			     "NEURON_RT_VISIBLE_CORES=%.40s names none of the cores 0 to %u; using "
			     "all of them%s",
			     text, instance->total_count - 1, why_so_few(instance));
	else if (missing)
		nx_log_error("environment",
			     "NEURON_RT_VISIBLE_CORES=%.40s names %u cores after the last one, %u; "
			     "using the others%s",
			     text, missing, instance->total_count - 1, why_so_few(instance));
	if (count)
		instance->visible_count = count;
}

uint32_t nx_instance_core_size(uint32_t most)
{
	uint64_t size = nx_environment_number("NEURON_LOGICAL_NC_CONFIG", 1, most, most);

	return (uint32_t)nx_environment_number("NEURON_RT_VIRTUAL_CORE_SIZE", 1, most, size);
}

bool nx_instance_has_core_size(void)
{
	const char *logical = getenv("NEURON_LOGICAL_NC_CONFIG");
	const char *virtual = getenv("NEURON_RT_VIRTUAL_CORE_SIZE");

	return (logical && *logical) || (virtual && *virtual);
}

static void read_cores(struct nx_instance *instance)
{
	const char *visible = getenv("NEURON_RT_VISIBLE_CORES");
	const struct nx_instance_kind *kind = instance->kind;

	instance->core_size = nx_instance_core_size(kind->core_size);
	instance->total_count = kind->device_count * kind->device_cores / instance->core_size;
	assert(instance->total_count <= NX_INSTANCE_CORES_MAX);
	instance->visible_count = instance->total_count;
	for (uint32_t core = 0; core < instance->total_count; core++)
		instance->visible[core] = (uint8_t)core;
	if (visible && *visible)
		read_visible(instance, visible);
	else
		instance->visible_count = (uint32_t)nx_environment_number(
			"NEURON_RT_NUM_CORES", 1, instance->total_count, instance->total_count);
}

/* Among all physical cores of the instance. */
static uint32_t first_physical(const struct nx_instance *instance, uint32_t core)
{
	return instance->visible[core % NX_INSTANCE_CORES_MAX] * instance->core_size;
}

uint32_t nx_instance_device(const struct nx_instance *instance, uint32_t core)
{
	return first_physical(instance, core) / instance->kind->device_cores;
}

uint32_t nx_instance_physical_core(const struct nx_instance *instance, uint32_t core)
{
	return first_physical(instance, core) % instance->kind->device_cores;
}

uint32_t nx_instance_hbm(const struct nx_instance *instance, uint32_t core)
{
	return nx_instance_physical_core(instance, core) * instance->kind->device_hbms /
	       instance->kind->device_cores;
}

uint64_t nx_instance_memory_bytes(const struct nx_instance *instance)
{
	const struct nx_hardware *hardware =
		nx_hardware_of(nx_device_generation(instance->kind->arch));

	return hardware->hbm_bytes * instance->kind->device_hbms /
	       (instance->kind->device_cores / instance->core_size);
}

uint64_t nx_instance_address(uint32_t hbm_idx, uint64_t offset)
{
	return (uint64_t)(hbm_idx >> 1 & 1) << 47 | (uint64_t)(hbm_idx & 1) << 38 | offset;
}

size_t nx_instance_links(const struct nx_instance_kind *kind, uint32_t device,
			 uint32_t links[NX_INSTANCE_LINKS_MAX])
{
	const uint32_t count = kind->device_count, side = 4;
	uint32_t row = device / side * side, column = device % side;

	assert(device < count);
	if (count == side * side) {
		links[0] = (device + count - side) % count;
		links[1] = row + (column + side - 1) % side;
		links[2] = (device + side) % count;
		links[3] = row + (column + 1) % side;
		return 4;
	}
	if (count < 2)
		return 0;
	links[0] = (device + count - 1) % count;
	links[1] = (device + 1) % count;
	return count == 2 ? 1 : 2;
}

/* --- who uses it ---------------------------------------------------------------------- */

#define MARK "neuron-cores-"

int nx_instance_mark(const struct nx_instance *instance)
{
	uint32_t last = first_physical(instance, instance->visible_count - 1);
	char name[64];

	snprintf(name, sizeof(name), MARK "%u-%u", first_physical(instance, 0),
		 last + instance->core_size - 1);
	return memfd_create(name, MFD_CLOEXEC);
}

bool nx_instance_mark_read(const char *link, uint32_t *first, uint32_t *last)
{
	return sscanf(link, "/memfd:" MARK "%u-%u", first, last) == 2 && *first <= *last;
}

/* --- instance ---------------------------------------------------------------------- */

static void read_instance(struct nx_instance *instance)
{
	struct nx_host_identity identity;

	nx_host_identity_read(&identity);
	if (identity.is_variable_unusable)
		nx_log_error("environment",
			     "NEURON_INSTANCE_ID=%.60s cannot be part of a folder name; using "
			     "another id",
			     getenv("NEURON_INSTANCE_ID"));
	memcpy(instance->instance_id, identity.instance_id, sizeof(instance->instance_id));
	memcpy(instance->hostname, identity.hostname, sizeof(instance->hostname));
}

void nx_instance_read(struct nx_instance *instance)
{
	const char *names[KIND_COUNT];

	for (size_t i = 0; i < KIND_COUNT; i++)
		names[i] = kinds[i].type;
	memset(instance, 0, sizeof(*instance));
	instance->kind =
		&kinds[nx_environment_choice("NEURON_EXPLORER_INSTANCE", names, KIND_COUNT)];
	read_cores(instance);
	read_instance(instance);
}
