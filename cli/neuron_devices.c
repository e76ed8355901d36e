/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/neuron_devices.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/path.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/release.h"

#define DEVICES_MAX 64 /* more than any instance has */
#define COMMAND_MAX 4096
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

/* --- small files --------------------------------------------------------------------- */

struct machine {
	const char *root;
	struct nx_neuron_devices *devices;
};

static const char *path_in(const struct machine *m, const char *folder, const char *name)
{
	return nx_arena_printf(&m->devices->arena, "%s%s%s%s", m->root, folder, *name ? "/" : "",
			       name);
}

/* The start of a file, without white space at its ends; "" if it cannot be read. */
static char *read_text(const struct machine *m, const char *folder, const char *name)
{
	char text[COMMAND_MAX];
	int fd = open(path_in(m, folder, name), O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text));
	size_t start = 0, end = len > 0 ? (size_t)len : 0;

	if (fd >= 0)
		close(fd);
	while (end > 0 && (isspace((unsigned char)text[end - 1]) || !text[end - 1]))
		end--;
	while (start < end && isspace((unsigned char)text[start]))
		start++;
	return nx_arena_copy(&m->devices->arena, nx_slice_of(text + start, end - start));
}

/* The number after a prefix, as in "neuron12"; false for any other name. */
static bool numbered(const char *name, const char *prefix, uint32_t *number)
{
	struct nx_slice text = nx_slice_text(name);
	size_t len = strlen(prefix);
	uint64_t value;

	if (!nx_slice_starts(text, prefix) ||
	    !nx_slice_to_u64(nx_slice_part(text, len, text.len - len), &value) || value > INT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* How many entries of a folder have a number after the prefix. */
static uint32_t count_numbered(const struct machine *m, const char *folder, const char *prefix)
{
	DIR *dir = opendir(path_in(m, folder, ""));
	uint32_t count = 0, number;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		count += numbered(entry->d_name, prefix, &number);
	if (dir)
		closedir(dir);
	return count;
}

/* --- real devices --------------------------------------------------------------------- */

#define DRIVER_CLASS "/sys/class/neuron_device"
#define DRIVER_PCI "/sys/bus/pci/drivers/neuron-driver"

/* "trn2.48xlarge", "trn1n.32xlarge": the family's letters and digit name the chip. */
static const struct nx_chip *chip_of_instance(const char *type)
{
	size_t len = strcspn(type, "0123456789");

	return nx_chip_find(nx_slice_of(type, type[len] ? len + 1 : len));
}

/* As the driver names it. */
static const struct nx_chip *chip_of_device(const char *name)
{
	static const struct {
		const char *device;
		enum nx_device_arch arch;
	} names[] = {
		{"Trainium1", NX_DEVICE_TRN1},
		{"Inferentia2", NX_DEVICE_INF2},
		{"Trainium2", NX_DEVICE_TRN2},
		{"Trainium3", NX_DEVICE_TRN3},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(name, names[i].device))
			return nx_chip_of(names[i].arch);
	return NULL;
}

/* "12, 3, 4, 1" */
static void read_links(const char *text, struct nx_neuron_device *device)
{
	while (*text) {
		char *end;
		unsigned long link = strtoul(text, &end, 10);

		if (end == text)
			break;
		nx_vec_push(&device->links, (uint32_t)link);
		text = end + strspn(end, ", ");
	}
}

/*
 * The driver does not publish which PCI function is which device. With a single one there is no
 * question; otherwise the fields stay unknown.
 */
static void read_pci(const struct machine *m)
{
	struct nx_neuron_device *device = &m->devices->items[0];
	DIR *dir = m->devices->len == 1 ? opendir(path_in(m, DRIVER_PCI, "")) : NULL;
	const char *name = NULL, *folder;
	size_t count = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (isxdigit((unsigned char)entry->d_name[0]) && strchr(entry->d_name, ':')) {
			name = nx_arena_copy_text(&m->devices->arena, entry->d_name);
			count++;
		}
	if (dir)
		closedir(dir);
	if (count != 1)
		return;
	folder = nx_arena_printf(&m->devices->arena, DRIVER_PCI "/%s", name);
	device->bdf = strchr(name, ':') + 1;
	device->cpus = read_text(m, folder, "local_cpulist");
	device->numa_node = read_text(m, folder, "numa_node");
}

static void read_device(const struct machine *m, struct nx_neuron_device *device,
			const struct nx_instance_kind *kind)
{
	const char *folder =
		nx_arena_printf(&m->devices->arena, DRIVER_CLASS "/neuron%u", device->idx);
	const struct nx_hardware *hardware = NULL;
	uint64_t cores;

	/* root alone may read core_count and connected_devices */
	if (!nx_slice_to_u64(nx_slice_text(read_text(m, folder, "core_count")), &cores) ||
	    cores > INT32_MAX)
		cores = count_numbered(m, folder, "neuron_core");
	if (!cores && kind)
		cores = kind->device_cores;
	if (kind)
		hardware = nx_hardware_of(nx_device_generation(kind->arch));
	device->core_count = (uint32_t)cores / m->devices->core_size;
	device->first_core = device->idx * device->core_count;
	device->memory_bytes = hardware ? hardware->hbm_bytes * kind->device_hbms : 0;
	device->bdf = device->cpus = device->numa_node = "";
	read_links(read_text(m, folder, "connected_devices"), device);
}

static void read_hardware(const struct machine *m)
{
	struct nx_neuron_devices *devices = m->devices;
	const char *type = read_text(m, "/sys/class/dmi/id/product_name", "");
	const char *name = read_text(m,
				     nx_arena_printf(&devices->arena, DRIVER_CLASS "/neuron%u",
						     devices->items[0].idx),
				     "info/architecture/device_name");
	const struct nx_chip *chip = chip_of_device(name);
	const struct nx_instance_kind *kind;
	uint32_t most;

	if (!chip)
		chip = chip_of_instance(type);
	kind = chip ? nx_instance_kind_of(chip->device) : NULL;
	most = kind ? kind->core_size : chip && chip->device == NX_DEVICE_TRN3 ? 2 : 1;
	devices->has_core_sizes = most > 1;
	devices->core_size = nx_instance_core_size(most);
	devices->instance_type = type;
	devices->instance_id = read_text(m, "/sys/class/dmi/id/board_asset_tag", "");
	for (size_t i = 0; i < devices->len; i++)
		read_device(m, &devices->items[i], kind);
	read_pci(m);
}

static int by_idx(const void *a, const void *b)
{
	const struct nx_neuron_device *x = a, *y = b;

	return (x->idx > y->idx) - (x->idx < y->idx);
}

static void find_hardware(const struct machine *m)
{
	DIR *dir = opendir(path_in(m, "/dev", ""));
	uint32_t idx;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (numbered(entry->d_name, "neuron", &idx) && m->devices->len < DEVICES_MAX)
			m->devices->items[m->devices->len++].idx = idx;
	if (dir)
		closedir(dir);
	qsort(m->devices->items, m->devices->len, sizeof(*m->devices->items), by_idx);
}

/* --- devices in software --------------------------------------------------------------- */

static void read_software(const struct machine *m)
{
	struct nx_neuron_devices *devices = m->devices;
	const char *nodes = read_text(m, "/sys/devices/system/node/online", "");
	const char *cpus = read_text(m, "/sys/devices/system/cpu/online", "");
	struct nx_instance instance;

	nx_instance_read(&instance);
	assert(instance.kind->device_count <= DEVICES_MAX);
	devices->is_software = true;
	devices->has_core_sizes = instance.kind->core_size > 1;
	devices->core_size = instance.core_size;
	devices->instance_type = instance.kind->type;
	devices->instance_id = nx_arena_copy_text(&devices->arena, instance.instance_id);
	devices->len = instance.kind->device_count;
	for (uint32_t i = 0; i < devices->len; i++) {
		struct nx_neuron_device *device = &devices->items[i];
		uint32_t links[NX_INSTANCE_LINKS_MAX];
		size_t link_count = nx_instance_links(instance.kind, i, links);

		device->idx = i;
		device->bdf = "";
		device->cpus = cpus;
		device->numa_node = strpbrk(nodes, "-,") ? "-1" : "0"; /* one node: it is there */
		device->core_count = instance.kind->device_cores / instance.core_size;
		device->first_core = i * device->core_count;
		device->memory_bytes = nx_instance_memory_bytes(&instance) * device->core_count;
		for (size_t k = 0; k < link_count; k++)
			nx_vec_push(&device->links, links[k]);
	}
}

/* --- processes ------------------------------------------------------------------------- */

/* The words of a command line, which end with a zero each. */
static const char *read_command(const struct machine *m, const char *folder)
{
	char path[64], text[COMMAND_MAX];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/cmdline", folder);
	fd = open(path_in(m, path, ""), O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	while (len > 0 && !text[len - 1])
		len--;
	for (ssize_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = ' ';
	return nx_arena_copy(&m->devices->arena, nx_slice_of(text, len > 0 ? (size_t)len : 0));
}

/* The version in the name of the libnrt.so that it has loaded; NULL if there is none. */
static const char *read_runtime(const struct machine *m, const char *folder)
{
	const char *found = NULL;
	size_t cap = 0;
	char *line = NULL;
	FILE *maps;

	if (m->devices->is_software)
		return TEXT(NX_RELEASE_MAJOR) "." TEXT(NX_RELEASE_MINOR) "." TEXT(NX_RELEASE_PATCH);
	maps = fopen(path_in(m, folder, "maps"), "re");
	while (maps && !found && getline(&line, &cap, maps) > 0) {
		const char *name = strstr(line, "/libnrt.so");

		if (!name)
			continue;
		name += strlen("/libnrt.so");
		name += *name == '.';
		found = nx_arena_copy(&m->devices->arena,
				      nx_slice_of(name, strspn(name, "0123456789.")));
	}
	if (maps)
		fclose(maps);
	nx_heap_free(line);
	return found;
}

static void use_device(const struct machine *m, uint32_t idx, uint32_t pid, const char *folder)
{
	for (size_t i = 0; i < m->devices->len; i++) {
		struct nx_neuron_device *device = &m->devices->items[i];
		size_t count = device->processes.len;

		if (device->idx != idx || (count && device->processes.items[count - 1].pid == pid))
			continue;
		nx_vec_push(&device->processes,
			    ((struct nx_neuron_process){pid, read_command(m, folder),
							read_runtime(m, folder)}));
	}
}

/* What one descriptor of a process refers to. */
static void take_link(const struct machine *m, const char *link, uint32_t pid, const char *folder)
{
	uint32_t first, last, size;

	if (!m->devices->is_software) {
		if (nx_slice_starts(nx_slice_text(link), "/dev/") &&
		    numbered(nx_path_name(link), "neuron", &first))
			use_device(m, first, pid, folder);
		return;
	}
	size = m->devices->items[0].core_count * m->devices->core_size;
	if (nx_instance_mark_read(link, &first, &last))
		for (uint32_t idx = first / size; idx <= last / size && idx < DEVICES_MAX; idx++)
			use_device(m, idx, pid, folder);
}

static void read_process(const struct machine *m, uint32_t pid)
{
	char folder[64], link[PATH_MAX];
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%u", pid);
	dir = opendir(path_in(m, folder, "fd"));
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		if (len <= 0)
			continue;
		link[len] = '\0';
		take_link(m, link, pid, folder);
	}
	if (dir)
		closedir(dir);
}

static int by_pid(const void *a, const void *b)
{
	const struct nx_neuron_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void find_processes(const struct machine *m)
{
	DIR *dir = opendir(path_in(m, "/proc", ""));
	uint32_t pid;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (numbered(entry->d_name, "", &pid))
			read_process(m, pid);
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < m->devices->len; i++)
		if (m->devices->items[i].processes.len)
			qsort(m->devices->items[i].processes.items,
			      m->devices->items[i].processes.len, sizeof(struct nx_neuron_process),
			      by_pid);
}

/* --- all ----------------------------------------------------------------------------- */

void nx_neuron_devices_open(struct nx_neuron_devices *devices, const char *root)
{
	const struct machine m = {root, devices};

	memset(devices, 0, sizeof(*devices));
	devices->items = nx_arena_zalloc(&devices->arena, DEVICES_MAX, sizeof(*devices->items));
	find_hardware(&m);
	if (devices->len)
		read_hardware(&m);
	else
		read_software(&m);
	find_processes(&m);
}

void nx_neuron_devices_release(struct nx_neuron_devices *devices)
{
	for (size_t i = 0; i < devices->len; i++) {
		nx_vec_release(&devices->items[i].links);
		nx_vec_release(&devices->items[i].processes);
	}
	nx_arena_release(&devices->arena);
	memset(devices, 0, sizeof(*devices));
}
