/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "cli/help.h"
#include "cli/neuron_devices.h"
#include "cli/options.h"
#include "cli/terminal.h"

struct neuron_ls {
	bool is_wide, has_all_processes, has_topology, is_json, wants_version;
	const char *format;
};

static const struct nx_option options[] = {
	{"wide", 'w', NX_FLAG, NX_FIELD(struct neuron_ls, is_wide),
	 "Show processes, with 80 columns for their commands instead of 40."},
	{"show-all-procs", 'a', NX_FLAG, NX_FIELD(struct neuron_ls, has_all_processes),
	 "Also list processes that hold a device without a Neuron runtime."},
	{"topology", 't', NX_FLAG, NX_FIELD(struct neuron_ls, has_topology),
	 "Also draw how the devices are connected."},
	{"json-output", 'j', NX_FLAG, NX_FIELD(struct neuron_ls, is_json),
	 "Print a JSON array with an object for each device."},
	{"output-format", 0, NX_CHOICE("FORMAT", "text json"), NX_FIELD(struct neuron_ls, format),
	 "text for people (default), or json: an object that describes the instance, with the "
	 "array of -j as neuron_devices."},
	NX_ROW_VERSION(struct neuron_ls, 'V'),
	{0},
};

static bool is_shown(const struct neuron_ls *o, const struct nx_neuron_process *process)
{
	return process->runtime || o->has_all_processes;
}

static const char *runtime_text(const struct nx_neuron_process *process)
{
	return process->runtime ? process->runtime : "NA";
}

/* --- for programs ------------------------------------------------------------ */

static void write_processes(struct nx_json_writer *w, const struct neuron_ls *o,
			    const struct nx_neuron_device *device)
{
	nx_json_key(w, "neuron_processes");
	nx_json_begin_array(w);
	for (size_t i = 0; i < device->processes.len; i++) {
		const struct nx_neuron_process *process = &device->processes.items[i];

		if (!is_shown(o, process))
			continue;
		nx_json_begin_object(w);
		nx_json_key_u64(w, "pid", process->pid);
		nx_json_key_text(w, "command", process->command);
		nx_json_key_text(w, "neuron_runtime_version", runtime_text(process));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_device(struct nx_json_writer *w, const struct neuron_ls *o,
			 const struct nx_neuron_devices *devices,
			 const struct nx_neuron_device *device)
{
	nx_json_begin_object(w);
	nx_json_key_u64(w, "neuron_device", device->idx);
	nx_json_key_text(w, "bdf", device->bdf);
	nx_json_key_text(w, "cpu_affinity", device->cpus);
	nx_json_key_text(w, "numa_node", device->numa_node);
	nx_json_key(w, "connected_to");
	if (device->links.len) {
		nx_json_begin_array(w);
		for (size_t i = 0; i < device->links.len; i++)
			nx_json_u64(w, device->links.items[i]);
		nx_json_end_array(w);
	} else {
		nx_json_null(w);
	}
	nx_json_key_u64(w, "nc_count", device->core_count);
	if (devices->has_core_sizes)
		nx_json_key_u64(w, "logical_neuroncore_config", devices->core_size);
	nx_json_key_u64(w, "memory_size", device->memory_bytes);
	nx_json_key(w, "neuroncore_ids");
	nx_json_begin_array(w);
	for (uint32_t i = 0; i < device->core_count; i++)
		nx_json_u64(w, device->first_core + i);
	nx_json_end_array(w);
	write_processes(w, o, device);
	nx_json_key_text(w, "instance_type", devices->instance_type);
	nx_json_end_object(w);
}

static void print_json(const struct neuron_ls *o, const struct nx_neuron_devices *devices,
		       struct nx_output *out)
{
	bool has_instance = !o->is_json;
	struct nx_json_writer w;

	nx_json_init_output(&w, out, true);
	if (has_instance) {
		nx_json_begin_object(&w);
		nx_json_key_text(&w, "instance_type", devices->instance_type);
		nx_json_key_text(&w, "instance_id", devices->instance_id);
		nx_json_key_u64(&w, "logical_neuroncore_config", devices->core_size);
		nx_json_key_bool(&w, "is_software", devices->is_software);
		nx_json_key(&w, "neuron_devices");
	}
	nx_json_begin_array(&w);
	for (size_t i = 0; i < devices->len; i++)
		write_device(&w, o, devices, &devices->items[i]);
	nx_json_end_array(&w);
	if (has_instance)
		nx_json_end_object(&w);
	nx_output_write(out, "\n", 1);
}

/* --- for people: a table ------------------------------------------------------- */

static const struct {
	const char *titles[2]; /* one above the other */
} columns[] = {
	{{"NEURON", "DEVICE"}}, {{"NEURON", "CORES"}},	    {{"NEURON", "CORE IDS"}},
	{{"NEURON", "MEMORY"}}, {{"CONNECTED", "DEVICES"}}, {{"PCI", "BDF"}},
	{{"CPU", "AFFINITY"}},	{{"NUMA", "NODE"}},	    {{"PID", ""}},
	{{"COMMAND", ""}},	{{"RUNTIME", "VERSION"}},
};
enum { FIRST_PROCESS_COLUMN = 8, COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]) };

struct grid {
	struct nx_arena *arena;
	size_t column_count;
	size_t widths[COLUMN_COUNT];
	NX_VEC(const char *) cells; /* row by row */
	NX_VEC(size_t) devices;	    /* rows with which a device begins */
};

static void add_row(struct grid *grid, const char *const *cells)
{
	for (size_t i = 0; i < grid->column_count; i++) {
		size_t width = nx_text_width(nx_slice_text(cells[i]));

		if (width > grid->widths[i])
			grid->widths[i] = width;
		nx_vec_push(&grid->cells, cells[i]);
	}
}

static const char *links_text(struct nx_arena *arena, const struct nx_neuron_device *device)
{
	const char *text = "";

	for (size_t i = 0; i < device->links.len; i++)
		text = nx_arena_printf(arena, "%s%s%u", text, i ? ", " : "",
				       device->links.items[i]);
	return text;
}

static const char *cores_text(struct nx_arena *arena, const struct nx_neuron_device *device)
{
	if (!device->core_count)
		return "";
	if (device->core_count == 1)
		return nx_arena_printf(arena, "%u", device->first_core);
	return nx_arena_printf(arena, "%u-%u", device->first_core,
			       device->first_core + device->core_count - 1);
}

static const char *command_text(struct nx_arena *arena, const char *command, unsigned width)
{
	struct nx_bytes line = {0};
	struct nx_slice whole, part;
	const char *text;

	nx_text_append_tame(&line, nx_slice_text(command));
	whole = nx_slice_of(line.items, line.len);
	part = nx_text_width(whole) <= width ? whole : nx_text_cut(whole, width - 3);
	text = nx_arena_printf(arena, "%.*s%s", (int)part.len, (const char *)part.data,
			       part.len < whole.len ? "..." : "");
	nx_vec_release(&line);
	return text;
}

static void add_device(struct grid *grid, const struct neuron_ls *o,
		       const struct nx_neuron_device *device)
{
	struct nx_arena *arena = grid->arena;
	const char *cells[COLUMN_COUNT] = {
		nx_arena_printf(arena, "%u", device->idx),
		nx_arena_printf(arena, "%u", device->core_count),
		cores_text(arena, device),
		device->memory_bytes
			? nx_arena_printf(arena, "%llu GB",
					  (unsigned long long)device->memory_bytes >> 30)
			: "",
		links_text(arena, device),
		device->bdf,
		device->cpus,
		device->numa_node,
		"",
		"",
		"",
	};
	bool is_first = true;

	nx_vec_push(&grid->devices, grid->cells.len);
	for (size_t i = 0; i < device->processes.len; i++) {
		const struct nx_neuron_process *process = &device->processes.items[i];

		if (!is_shown(o, process))
			continue;
		for (size_t k = 0; !is_first && k < FIRST_PROCESS_COLUMN; k++)
			cells[k] = "";
		cells[8] = nx_arena_printf(arena, "%u", process->pid);
		cells[9] = command_text(arena, process->command, o->is_wide ? 80 : 40);
		cells[10] = runtime_text(process);
		add_row(grid, cells);
		is_first = false;
	}
	if (is_first)
		add_row(grid, cells);
}

static void print_rule(const struct grid *grid, struct nx_output *out)
{
	for (size_t i = 0; i < grid->column_count; i++) {
		nx_print(out, "+");
		for (size_t k = 0; k < grid->widths[i] + 2; k++)
			nx_print(out, "-");
	}
	nx_print(out, "+\n");
}

static void print_cell(struct nx_output *out, const char *text, size_t width, bool is_centred)
{
	size_t free = width - nx_text_width(nx_slice_text(text));
	size_t before = is_centred ? free / 2 : 0;

	nx_print(out, "| %*s%s%*s ", (int)before, "", text, (int)(free - before), "");
}

static void print_grid(const struct grid *grid, struct nx_output *out)
{
	bool has_long_devices = grid->cells.len > grid->devices.len * grid->column_count;

	print_rule(grid, out);
	for (size_t line = 0; line < 2; line++) {
		for (size_t i = 0; i < grid->column_count; i++)
			print_cell(out, columns[i].titles[line], grid->widths[i], true);
		nx_print(out, "|\n");
	}
	for (size_t at = 0, device = 0; at < grid->cells.len; at += grid->column_count) {
		bool is_first = device < grid->devices.len && grid->devices.items[device] == at;

		if (is_first && (!device || has_long_devices))
			print_rule(grid, out);
		device += is_first;
		for (size_t i = 0; i < grid->column_count; i++)
			print_cell(out, grid->cells.items[at + i], grid->widths[i], false);
		nx_print(out, "|\n");
	}
	print_rule(grid, out);
}

static bool has_processes(const struct neuron_ls *o, const struct nx_neuron_devices *devices)
{
	for (size_t i = 0; i < devices->len; i++)
		for (size_t k = 0; k < devices->items[i].processes.len; k++)
			if (is_shown(o, &devices->items[i].processes.items[k]))
				return true;
	return o->is_wide || o->has_all_processes;
}

static void print_table(const struct neuron_ls *o, struct nx_neuron_devices *devices,
			struct nx_output *out)
{
	struct grid grid = {.arena = &devices->arena};

	grid.column_count = has_processes(o, devices) ? COLUMN_COUNT : FIRST_PROCESS_COLUMN;
	for (size_t i = 0; i < grid.column_count; i++)
		for (size_t line = 0; line < 2; line++)
			if (strlen(columns[i].titles[line]) > grid.widths[i])
				grid.widths[i] = strlen(columns[i].titles[line]);
	for (size_t i = 0; i < devices->len; i++)
		add_device(&grid, o, &devices->items[i]);
	print_grid(&grid, out);
	nx_vec_release(&grid.cells);
	nx_vec_release(&grid.devices);
}

/* --- for people: a drawing ------------------------------------------------------- */

static bool is_linked(const struct nx_neuron_device *device, uint32_t to)
{
	for (size_t i = 0; i < device->links.len; i++)
		if (device->links.items[i] == to)
			return true;
	return false;
}

/* Whether rows of side devices are rings, and columns too if there are several. */
static bool is_torus(const struct nx_neuron_devices *devices, size_t side)
{
	if (devices->len < 2 || devices->len % side)
		return false;
	for (size_t i = 0; i < devices->len; i++) {
		size_t row = i / side * side;

		if (devices->items[i].idx != i ||
		    !is_linked(&devices->items[i], (uint32_t)(row + (i + 1 - row) % side)) ||
		    (devices->len > side &&
		     !is_linked(&devices->items[i], (uint32_t)((i + side) % devices->len))))
			return false;
	}
	return true;
}

static void print_column_links(struct nx_output *out, size_t side, const char *mark)
{
	nx_print(out, "   ");
	for (size_t i = 0; i < side; i++)
		nx_print(out, "%s%s", mark, i + 1 < side ? "       " : "\n");
}

static void print_topology(const struct nx_neuron_devices *devices, struct nx_output *out)
{
	size_t side = is_torus(devices, 4) && devices->len > 4 ? 4 : devices->len;
	bool has_columns = side < devices->len;

	nx_print(out, "\nNeuron Device Topology\n");
	if (!is_torus(devices, side)) {
		nx_print(out, devices->len < 2 ? "one device, no links\n"
					       : "links as in CONNECTED DEVICES; root sees more\n");
		return;
	}
	if (has_columns)
		print_column_links(out, side, "*");
	for (size_t i = 0; i < devices->len; i++) {
		if (i % side == 0 && has_columns)
			print_column_links(out, side, "|");
		nx_print(out, "%s[%2u ]%s", i % side ? "" : "*", devices->items[i].idx,
			 i % side + 1 < side ? "---" : "*\n");
		if ((i + 1) % side == 0 && has_columns)
			print_column_links(out, side, "|");
	}
	if (has_columns)
		print_column_links(out, side, "*");
	nx_print(out, "\nLegend:\n  * = linked to the other end of its row%s\n",
		 has_columns ? " or column" : "");
}

static void print_text(const struct neuron_ls *o, struct nx_neuron_devices *devices,
		       struct nx_output *out)
{
	nx_print(out, "instance-type: %s\n", devices->instance_type);
	nx_print(out, "instance-id: %s\n", devices->instance_id);
	if (devices->has_core_sizes)
		nx_print(out, "logical-neuroncore-config: %u\n", devices->core_size);
	if (devices->is_software)
		nx_print(out, "devices: simulated in software, as this machine has no Neuron "
			      "device\n");
	print_table(o, devices, out);
	if (o->has_topology)
		print_topology(devices, out);
}

/* --- the command ----------------------------------------------------------------- */

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	const struct neuron_ls *o = values;
	struct nx_neuron_devices devices;
	struct nx_output out;
	enum nx_status st;

	(void)operands;
	if (o->wants_version)
		return nx_help_show_version(call, err);
	if (o->is_json && o->format && !strcmp(o->format, "text"))
		return nx_fail(err, NX_USAGE,
			       "--json-output and --output-format text contradict; give one");
	st = nx_output_open(&out, "-", err);
	if (st)
		return st;
	nx_neuron_devices_open(&devices, "");
	if (o->is_json || (o->format && !strcmp(o->format, "json")))
		print_json(o, &devices, &out);
	else
		print_text(o, &devices, &out);
	nx_neuron_devices_release(&devices);
	return nx_output_commit(&out, err);
}

static const struct nx_example examples[] = {
	{"Which devices are there, and who uses them?", "--wide"},
	{"The cores of all devices, for NEURON_RT_VISIBLE_CORES:",
	 "-j | jq -c 'map(.neuroncore_ids) | add'"},
	{0},
};

const struct nx_command nx_command_neuron_ls = {
	.name = "neuron-ls",
	.summary = "list the Neuron devices of this machine",
	.operands = "",
	.operand_hint = "see 'neuron-ls --help'",
	.description =
		"Lists the devices /dev/neuron0 and so on with what the driver publishes in "
		"/sys/class/neuron_device, and the processes that hold them. Without one, lists "
		"the devices in software that programs find with our libnrt.so.1, marked as "
		"such: NEURON_EXPLORER_INSTANCE chooses the instance.\n\n"
		"Cores are logical, and numbered as NEURON_RT_VISIBLE_CORES expects; "
		"NEURON_LOGICAL_NC_CONFIG (or NEURON_RT_VIRTUAL_CORE_SIZE) sets how many physical "
		"cores of a trn2 are one.\n\n"
		"Only root sees the processes of all users, and on real devices their links. "
		"What nothing publishes is empty, or 0 for the size of a memory: the PCI address "
		"if there are several devices, and that of any device in software.",
	.options = options,
	.examples = examples,
	.is_program = true,
	.tmpdir = "",
	.values_bytes = sizeof(struct neuron_ls),
	.run = run,
};
