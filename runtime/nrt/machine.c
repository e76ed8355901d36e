/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/machine.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/trace_filter.h"

#define PHYSICAL_CORES 8
#define DEFAULT_CORE_SIZE 2

static uint64_t number_in(const char *variable, uint64_t least, uint64_t most, uint64_t fallback)
{
	const char *text = getenv(variable);
	uint64_t value;

	if (!text || !*text)
		return fallback;
	if (nx_slice_to_u64(nx_slice_text(text), &value) && value >= least && value <= most)
		return value;
	nx_log_error("%s=%.40s is no number from %llu to %llu; %llu is used", variable, text,
		     (unsigned long long)least, (unsigned long long)most,
		     (unsigned long long)fallback);
	return fallback;
}

/* --- cores ---------------------------------------------------------------------- */

/* Cores of a process follow one another; a list with gaps counts from its first. */
static void read_visible(struct nx_machine *machine, const char *text)
{
	struct nx_trace_filter chosen = {0};
	struct nx_error err;
	uint32_t count = 0, first = machine->total_count;

	if (nx_trace_filter_parse_cores(&chosen, text, &err)) {
		nx_log_error("NEURON_RT_VISIBLE_CORES: %s; all cores are used", err.message);
		return;
	}
	for (uint32_t core = machine->total_count; core-- > 0;)
		if (nx_trace_filter_has_core(&chosen, core)) {
			first = core;
			count++;
		}
	if (!count) {
		nx_log_error("NEURON_RT_VISIBLE_CORES=%.40s names none of the %u cores; all are "
			     "used",
			     text, machine->total_count);
		return;
	}
	machine->first_visible = first;
	machine->visible_count = count;
}

static void read_cores(struct nx_machine *machine)
{
	const char *visible = getenv("NEURON_RT_VISIBLE_CORES");
	uint64_t size = number_in("NEURON_LOGICAL_NC_CONFIG", 1, 2, DEFAULT_CORE_SIZE);

	machine->core_size = (uint32_t)number_in("NEURON_RT_VIRTUAL_CORE_SIZE", 1, 2, size);
	machine->total_count = PHYSICAL_CORES / machine->core_size;
	machine->visible_count = machine->total_count;
	if (visible && *visible)
		read_visible(machine, visible);
	else
		machine->visible_count = (uint32_t)number_in(
			"NEURON_RT_NUM_CORES", 1, machine->total_count, machine->total_count);
}

uint32_t nx_machine_physical_core(const struct nx_machine *machine, uint32_t core)
{
	return (machine->first_visible + core) * machine->core_size % PHYSICAL_CORES;
}

uint32_t nx_machine_hbm(const struct nx_machine *machine, uint32_t core)
{
	return nx_machine_physical_core(machine, core) * NX_MACHINE_HBMS / PHYSICAL_CORES;
}

uint64_t nx_machine_memory_bytes(const struct nx_machine *machine)
{
	return NX_MACHINE_HBM_BYTES * NX_MACHINE_HBMS / machine->total_count;
}

uint64_t nx_machine_address(uint32_t hbm_idx, uint64_t offset)
{
	return (uint64_t)(hbm_idx >> 1 & 1) << 47 | (uint64_t)(hbm_idx & 1) << 38 | offset;
}

/* --- instance ---------------------------------------------------------------------- */

static size_t read_line(const char *path, char *out, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, out, cap - 1);

	if (fd >= 0)
		close(fd);
	out[len > 0 ? len : 0] = '\0';
	out[strcspn(out, " \t\r\n")] = '\0';
	return strlen(out);
}

/* It becomes the name of a folder: nothing but letters, digits and dashes. */
static bool is_usable(const char *id)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)id[i]) && id[i] != '-')
			return false;
	return len > 0 && len < 60;
}

/* The same on every start of this machine, and unlike that of others. */
static void make_up_id(struct nx_machine *machine)
{
	char seed[200];
	uint64_t id;

	if (!read_line("/etc/machine-id", seed, sizeof(seed)))
		snprintf(seed, sizeof(seed), "%s", machine->hostname);
	id = nx_ntrace_intern_id(nx_slice_text(seed));
	snprintf(machine->instance_id, sizeof(machine->instance_id), "i-%017llx",
		 (unsigned long long)id);
}

static void read_instance(struct nx_machine *machine)
{
	const char *given = getenv("NEURON_INSTANCE_ID");

	if (gethostname(machine->hostname, sizeof(machine->hostname) - 1))
		machine->hostname[0] = '\0';
	if (given && is_usable(given)) {
		snprintf(machine->instance_id, sizeof(machine->instance_id), "%s", given);
		return;
	}
	if (given && *given)
		nx_log_error("NEURON_INSTANCE_ID=%.60s can be no part of a folder's name; another "
			     "id is used",
			     given);
	if (read_line("/sys/class/dmi/id/board_asset_tag", machine->instance_id,
		      sizeof(machine->instance_id)) &&
	    strncmp(machine->instance_id, "i-", 2) == 0 && is_usable(machine->instance_id))
		return;
	make_up_id(machine);
}

void nx_machine_read(struct nx_machine *machine)
{
	memset(machine, 0, sizeof(*machine));
	read_cores(machine);
	read_instance(machine);
}
