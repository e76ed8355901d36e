/* SPDX-License-Identifier: Apache-2.0 */
/* nccom-test: how long collectives take; a program of its own name. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "cli/help.h"
#include "cli/nccom_options.h"
#include "cli/nccom_runtime.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "format/collective.h"
#include "format/instruction.h"

#define OPS_IN_NEFF 512 /* of one execution; more make more executions */
#define CELL 64
#define MAX_COLUMNS (NX_NCCOM_MAX_STATS + 10)

struct table {
	struct nx_output out;
	const struct nx_nccom_request *request;
	const struct nx_nccom_words *words;
	struct nx_bytes json;
	struct nx_json_writer writer;
	double bus_sum;
	size_t row_count;
	bool has_header;
};

struct row {
	char cells[MAX_COLUMNS][CELL];
	char titles[MAX_COLUMNS][CELL];
	size_t count;
};

static void add_cell(struct row *row, const char *title, const char *fmt, ...) NX_PRINTF(3, 4);

static void add_cell(struct row *row, const char *title, const char *fmt, ...)
{
	va_list args;

	if (row->count == MAX_COLUMNS)
		return;
	va_start(args, fmt);
	vsnprintf(row->cells[row->count], CELL, fmt, args);
	va_end(args);
	snprintf(row->titles[row->count++], CELL, "%s", title);
}

/* --- statistics ------------------------------------------------------------------------------ */

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double average_of(const struct nx_nccom_result *result)
{
	double sum = 0;

	for (size_t i = 0; i < result->time_count; i++)
		sum += result->times_us[i];
	return result->time_count ? sum / (double)result->time_count : 0;
}

/* The nearest rank; times are sorted. */
static double stat_of(const struct nx_nccom_result *result, int stat)
{
	size_t rank;

	if (stat < 0 || !result->time_count)
		return average_of(result);
	rank = (size_t)ceil(stat / 100.0 * (double)result->time_count);
	return result->times_us[rank ? rank - 1 : 0];
}

static void stat_title(int stat, char out[CELL])
{
	if (stat < 0)
		snprintf(out, CELL, "time:avg(us)");
	else
		snprintf(out, CELL, "time:p%d(us)", stat);
}

/* --- the table ---------------------------------------------------------------------------------
 */

static void print_row(struct table *table, const struct row *row)
{
	for (size_t i = 0; i < row->count && !table->has_header; i++)
		nx_print(&table->out, "    %s", row->titles[i]);
	if (!table->has_header)
		nx_print(&table->out, "\n");
	table->has_header = true;
	for (size_t i = 0; i < row->count; i++)
		nx_print(&table->out, "    %*s", (int)strlen(row->titles[i]), row->cells[i]);
	nx_print(&table->out, "\n");
}

struct speeds {
	double algorithm, bus; /* GB/s, decimal */
};

static struct speeds speeds_of(const struct nx_nccom_case *c, const struct nx_nccom_result *result)
{
	double us = average_of(result);
	double algorithm = us > 0 ? (double)c->size_bytes / us / 1e3 : 0;

	return (struct speeds){algorithm,
			       algorithm * nx_collective_bus_factor(c->op->kind, c->group_size)};
}

static void write_json(struct table *table, const struct nx_nccom_case *c,
		       const struct nx_nccom_result *result, struct speeds speeds)
{
	struct nx_json_writer *w = &table->writer;
	char text[CELL];

	nx_json_begin_object(w);
	nx_json_key_u64(w, "size(B)", c->size_bytes);
	nx_json_key_u64(w, "count(elems)", c->element_count);
	nx_json_key_text(w, "type", c->dtype_name);
	nx_json_key(w, "algbw(GB/s)");
	nx_json_f64(w, speeds.algorithm);
	nx_json_key(w, "busbw(GB/s)");
	nx_json_f64(w, speeds.bus);
	for (size_t i = 0; i < table->request->stat_count; i++) {
		stat_title(table->request->stats[i], text);
		nx_json_key(w, text);
		nx_json_f64(w, round(stat_of(result, table->request->stats[i]) * 100) / 100);
	}
	if (table->words->shows_algorithm)
		nx_json_key_text(w, "algorithm", result->algorithm);
	nx_json_end_object(w);
}

static void add_result(struct table *table, const struct nx_nccom_case *c,
		       struct nx_nccom_result *result)
{
	const struct nx_nccom_request *r = table->request;
	struct speeds speeds = speeds_of(c, result);
	unsigned size = nx_dtype_bytes(c->dtype);
	struct row row = {.count = 0};
	char title[CELL];

	qsort(result->times_us, result->time_count, sizeof(double), compare_times);
	add_cell(&row, "size(B)", "%llu", (unsigned long long)c->size_bytes);
	add_cell(&row, "count(elems)", "%llu", (unsigned long long)c->element_count);
	if (table->words->shows_sizes) {
		add_cell(&row, "total_input_size(B)", "%" PRIu64,
			 c->in_count * size * c->rank_count);
		add_cell(&row, "total_output_size(B)", "%" PRIu64,
			 c->out_count * size * c->rank_count);
	}
	add_cell(&row, "type", "%s", c->dtype_name);
	for (size_t i = 0; i < r->stat_count; i++) {
		stat_title(r->stats[i], title);
		add_cell(&row, title, "%.2f", stat_of(result, r->stats[i]));
	}
	add_cell(&row, "algbw(GB/s)", "%.2f", speeds.algorithm);
	add_cell(&row, "busbw(GB/s)", "%.2f", speeds.bus);
	if (table->words->shows_algorithm)
		add_cell(&row, "algorithm", "%s", result->algorithm);
	print_row(table, &row);
	nx_output_flush(&table->out); /* the next one may take minutes */
	write_json(table, c, result, speeds);
	table->bus_sum += speeds.bus;
	table->row_count++;
}

static void end_table(struct table *table)
{
	if (table->row_count)
		nx_print(&table->out, "Avg bus bandwidth:    %.4fGB/s\n",
			 table->bus_sum / (double)table->row_count);
	nx_print(&table->out, "\n");
	table->bus_sum = 0;
	table->row_count = 0;
	table->has_header = false;
}

/* --- running
 * ---------------------------------------------------------------------------------------- */

static uint32_t core_size(void)
{
	const char *text = getenv("NEURON_RT_VIRTUAL_CORE_SIZE");

	if (!text || !*text)
		text = getenv("NEURON_LOGICAL_NC_CONFIG");
	return text && !strcmp(text, "1") ? 1 : 2;
}

static enum nx_status measure(struct table *table, struct nx_nccom_runtime *runtime,
			      const struct nx_nccom_op *op, uint64_t size, struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	const struct nx_nccom_options *o = &r->options;
	uint32_t wanted = o->warmup_count + o->measured_count;
	struct nx_nccom_case c = {
		.op = op,
		.dtype = r->dtype,
		.dtype_name = r->dtype_name,
		.size_bytes = size,
		.rank_count = r->rank_count,
		.group_size = r->groups.group_size ? r->groups.group_size : r->rank_count,
		.groups = &r->groups,
		.op_count = o->has_executions || wanted < OPS_IN_NEFF ? wanted : OPS_IN_NEFF,
		.core_size = core_size(),
	};
	struct nx_nccom_result result = {0};
	enum nx_status st = nx_nccom_case_measure(&c, err);

	if (!st)
		st = nx_nccom_run(runtime, &c, o, &result, err);
	if (!st && o->first_rank == 0) {
		if (result.is_wall_time && !o->wants_wall_time)
			nx_say_warning("this runtime does not tell device times; times are those "
				       "of the host");
		add_result(table, &c, &result);
	}
	nx_nccom_result_release(&result);
	return st;
}

static enum nx_status measure_all(struct table *table, struct nx_nccom_runtime *runtime,
				  struct nx_error *err)
{
	const struct nx_nccom_request *r = table->request;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < r->op_count && !st; i++) {
		if (r->op_count > 1)
			nx_print(&table->out, "%s\n", r->ops[i]->name);
		for (size_t k = 0; k < r->size_count && !st; k++)
			st = measure(table, runtime, r->ops[i], r->sizes[k], err);
		if (r->options.first_rank == 0)
			end_table(table);
	}
	return st;
}

/* The form in which scripts expect a failure; the sentence goes into the file and the error. */
static void tell_failure(struct table *table, const struct nx_error *err)
{
	char path[] = "/tmp/nccom-test.log.XXXXXX";
	int fd = mkstemp(path);

	if (fd >= 0) {
		ssize_t put = write(fd, err->message, strlen(err->message));

		put = put < 0 ? put : write(fd, "\n", 1);
		(void)put;
		close(fd);
	}
	nx_print(&table->out, "Failure running neuron-bench - log file %s\n",
		 fd >= 0 ? path : "none");
	nx_print(&table->out, "1 errors found - test failed\n");
}

/* --- the environment of ranks
 * ------------------------------------------------------------------------- */

/* A port nobody has now, for processes of this machine. */
static void set_root(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[40];

	if (fd < 0)
		return;
	if (!bind(fd, (struct sockaddr *)&address, len) &&
	    !getsockname(fd, (struct sockaddr *)&address, &len)) {
		snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
		setenv("NEURON_RT_ROOT_COMM_ID", text, 1);
	}
	close(fd);
}

/* Without a device the runtime makes one up: large enough for all ranks. */
static void set_environment(const struct nx_nccom_words *words, const struct nx_nccom_request *r)
{
	char text[16];

	if (r->options.local_rank_count > 8 / core_size() && access("/dev/neuron0", F_OK) != 0)
		setenv("NEURON_EXPLORER_INSTANCE", "trn2.48xlarge", 0);
	if (r->node_count > 1) {
		snprintf(text, sizeof(text), "%u", r->node_count);
		setenv("NEURON_EXPLORER_NODE_COUNT", text, 1);
	}
	if (r->options.has_processes && !getenv("NEURON_RT_ROOT_COMM_ID"))
		set_root();
	if (words->is_debug)
		setenv("NEURON_RT_LOG_LEVEL", "DEBUG", 1);
}

static enum nx_status start(const struct nx_nccom_request *r, struct nx_nccom_runtime *runtime,
			    struct nx_error *err)
{
	uint32_t cores = 0;
	enum nx_status st;

	if (r->options.has_processes)
		return NX_OK;
	st = nx_nccom_runtime_start(runtime, &cores, err);
	if (!st && cores < r->options.local_rank_count)
		st = nx_fail(err, NX_LIMIT,
			     "%u ranks need as many cores, the runtime has %u; choose fewer with "
			     "-r, or a larger NEURON_EXPLORER_INSTANCE",
			     r->options.local_rank_count, cores);
	return st;
}

static enum nx_status write_report(struct table *table, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st;

	nx_json_end_array(&table->writer);
	nx_json_end_object(&table->writer);
	if (!table->words->json || table->request->options.first_rank)
		return NX_OK;
	st = nx_output_open(&out, table->words->json, err);
	if (st)
		return st;
	nx_output_write(&out, table->json.items, table->json.len);
	nx_output_write(&out, "\n", 1);
	return nx_output_commit(&out, err);
}

static enum nx_status run_request(const struct nx_nccom_words *words,
				  const struct nx_nccom_request *r, struct nx_error *err)
{
	struct table table = {.request = r, .words = words};
	struct nx_nccom_runtime runtime = {0};
	struct nx_error ignored;
	enum nx_status st = nx_output_open(&table.out, "-", err);

	if (st)
		return st;
	nx_json_init_bytes(&table.writer, &table.json, false);
	nx_json_begin_object(&table.writer);
	nx_json_key(&table.writer, "results");
	nx_json_begin_array(&table.writer);
	set_environment(words, r);
	st = nx_nccom_runtime_open(&runtime, words->runtime, err);
	if (!st)
		st = start(r, &runtime, err);
	if (!st)
		st = measure_all(&table, &runtime, err);
	if (!st)
		st = write_report(&table, err);
	if (st)
		tell_failure(&table, err);
	nx_nccom_runtime_close(&runtime);
	nx_vec_release(&table.json);
	if (st)
		(void)!nx_output_commit(&table.out, &ignored);
	return st ? st : nx_output_commit(&table.out, err);
}

static enum nx_status run(const struct nx_invocation *call, int argc, char **argv,
			  struct nx_error *err)
{
	struct nx_nccom_words words = {0};
	struct nx_nccom_request request = {.op_count = 0};
	struct nx_operands operands;
	struct nx_arena arena = {0};
	bool wants_help = false;
	enum nx_status st;

	argc = nx_nccom_join_words(argc, argv, &arena, &argv);
	st = nx_options_parse(&nx_command_nccom_test, argc, argv, &words, &operands, &wants_help,
			      err);
	if (!st && wants_help)
		st = nx_help_show(call, &nx_command_nccom_test, err);
	else if (!st && words.wants_version)
		st = nx_help_show_version(call, err);
	else if (!st)
		st = nx_nccom_request_read(&words, operands.items, operands.count, &arena, &request,
					   err);
	if (!st && !wants_help && !words.wants_version)
		st = run_request(&words, &request, err);
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"All-reduce and all-gather of 512 KiB over 32 ranks:",
	 "allr allg -b 512kb -e 512kb -r 32 -n 10 -d fp32 -w 1 -f 512"},
	{"Sizes from 1 KiB to 64 MiB, checked, with the way the data took:",
	 "allr -r 16 -b 1kb -e 64mb -f 8 -d bf16 -c random --show-algorithm"},
	{"A process for each rank, times of this machine:",
	 "redsct -r 4 -b 1mb -e 1mb --processes --wall-time"},
	{0},
};

const struct nx_command nx_command_nccom_test = {
	.name = "nccom-test",
	.summary = "measure collectives over many ranks",
	.operands = "OPERATION...",
	.description =
		"Runs collectives over NeuronCores through libnrt.so.1 and says how long they "
		"took. "
		"Operations: all_reduce (allr), all_gather (allg), all_gatherv (allgv), "
		"reduce_scatter (redsct), sendrecv, alltoall, alltoallv, permute, broadcast.\n\n"
		"Where there is no device, the runtime that comes with this program moves the data "
		"between ranks for real and tells the time that a device would take, by a model "
		"(docs/design/collectives.md): good to compare ways and sizes, not to predict a "
		"machine to the microsecond.\n\n"
		"size(B) is what a rank holds on the side that has more of it; algbw is size over "
		"time, busbw that times 2(r-1)/r for all_reduce, (r-1)/r for gathers, scatters and "
		"alltoall, 1 for the others. GB are 1e9 bytes.",
	.options = nx_nccom_option_table,
	.examples = examples,
	.run = run,
};
