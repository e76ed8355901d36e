/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "format/collective.h"
#include "format/instruction.h"

#define CELL 64
#define MAX_COLUMNS (NX_NCCOM_MAX_STATS + 10)

struct row {
	char cells[MAX_COLUMNS][CELL];
	char titles[MAX_COLUMNS][CELL];
	size_t count;
};

static void add_cell(struct row *row, const char *title, const char *fmt, ...) NX_PRINTF(3, 4);

static void add_cell(struct row *row, const char *title, const char *fmt, ...)
{
	va_list args;

	assert(row->count < MAX_COLUMNS);
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

	assert(stat <= 100);
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

/* --- rows -------------------------------------------------------------------------------- */

static void print_row(struct nx_nccom_table *table, const struct row *row)
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

static void write_json(struct nx_nccom_table *table, const struct nx_nccom_case *c,
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
	if (table->stream)
		nx_json_key_u64(w, "stream", table->stream);
	nx_json_end_object(w);
}

void nx_nccom_table_add(struct nx_nccom_table *table, const struct nx_nccom_case *c,
			struct nx_nccom_result *result)
{
	const struct nx_nccom_request *r = table->request;
	double us = average_of(result);
	struct speeds speeds = {.algorithm = us > 0 ? (double)c->size_bytes / us / 1e3 : 0};
	unsigned size = nx_dtype_bytes(c->dtype);
	struct row row = {.count = 0};
	char title[CELL];

	speeds.bus = speeds.algorithm * nx_collective_bus_factor(c->op->kind, c->group_size);
	if (result->is_wall_time && !r->options.wants_wall_time)
		nx_say_warning("this runtime does not report device times; these are host times");
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

void nx_nccom_table_end(struct nx_nccom_table *table)
{
	if (table->row_count)
		nx_print(&table->out, "Avg bus bandwidth:    %.4fGB/s\n",
			 table->bus_sum / (double)table->row_count);
	nx_print(&table->out, "\n");
	table->bus_sum = 0;
	table->row_count = 0;
	table->has_header = false;
}

/* --- opening and closing -------------------------------------------------------------------- */

enum nx_status nx_nccom_table_open(struct nx_nccom_table *table, struct nx_error *err)
{
	enum nx_status st = nx_output_open(&table->out, "-", err);

	if (st)
		return st;
	nx_json_init_bytes(&table->writer, &table->json, false);
	nx_json_begin_object(&table->writer);
	nx_json_key(&table->writer, "results");
	nx_json_begin_array(&table->writer);
	return NX_OK;
}

static enum nx_status write_report(struct nx_nccom_table *table, struct nx_error *err)
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

/* Scripts look for these lines; the message itself goes into the file and the error. */
static void print_failure(struct nx_nccom_table *table, const struct nx_error *err)
{
	char path[NX_NCCOM_PATH_MAX];
	int fd;

	nx_nccom_temporary("nccom-test.log", path);
	fd = mkstemp(path);
	if (fd >= 0) {
		(void)dprintf(fd, "%s\n%.*s", err->message, (int)table->said.len,
			      (const char *)table->said.items);
		close(fd);
	}
	if (table->words->is_debug)
		nx_output_write(&table->out, table->said.items, table->said.len);
	nx_print(&table->out, "Failure running neuron-bench - log file %s\n",
		 fd >= 0 ? path : "none");
	nx_print(&table->out, "1 errors found - test failed\n");
}

enum nx_status nx_nccom_table_close(struct nx_nccom_table *table, enum nx_status st,
				    struct nx_error *err)
{
	struct nx_error later = {0};
	enum nx_status end = write_report(table, st ? &later : err);

	st = st ? st : end;
	if (st)
		print_failure(table, err);
	end = nx_output_commit(&table->out, st ? &later : err);
	nx_vec_release(&table->json);
	nx_vec_release(&table->said);
	return st ? st : end;
}
