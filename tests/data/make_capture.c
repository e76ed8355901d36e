/* SPDX-License-Identifier: Apache-2.0 */
/* make_capture: synthetic captures on disk. `make_capture --help` lists what it can make. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "tests/data/synthetic.h"
#include "tests/data/synthetic_parquet.h"
#include "tests/data/synthetic_system.h"

static const char usage[] =
	"usage: make_capture --demo DIR            DIR/demo.neff and DIR/demo.ntff\n"
	"       make_capture --source DIR          the kernel's text, for view --source-code-root\n"
	"       make_capture --corpus DIR          seeds for the fuzz targets\n"
	"       make_capture --size N[K|M|G] OUT.ntff [--neff OUT.neff]\n"
	"       make_capture --tiny OUT.ntff [--neff OUT.neff]\n"
	"       make_capture --system DIR [--instances N] [--workers M] [--events E] [--gaps]\n"
	"                                         [--delay-ms MS]\n"
	"                                          --gaps: between executions, from 13 to 190 us\n"
	"options: --seed N, --version 4|5|6, --arch 1|2, --cores 1|2, --faults\n";

enum mode { MODE_NONE, MODE_DEMO, MODE_CORPUS, MODE_SIZE, MODE_TINY, MODE_SYSTEM, MODE_SOURCE };

struct request {
	enum mode mode;
	const char *target; /* folder, or the NTFF */
	const char *neff;
	uint64_t size_bytes;
	unsigned version, arch, cores;
	uint64_t seed;
	bool with_faults, with_gaps;
	unsigned instances, workers;
	uint64_t event_count, delay_ms;
};

/* --- command line ------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *out >= low && *out <= high;
}

static bool parse_size(const char *text, uint64_t *out)
{
	static const char suffixes[] = "KMG";
	char *end;
	double value = strtod(text, &end);

	for (unsigned i = 0; i < 3; i++)
		if (*end && (*end == suffixes[i] || *end == suffixes[i] + 'a' - 'A')) {
			value *= (double)(1u << 10 * (i + 1));
			end++;
			break;
		}
	*out = value >= 1 && value < 0x1p50 ? (uint64_t)value : 0;
	return end != text && !*end && *out;
}

static bool set_mode(struct request *r, enum mode mode, const char *target)
{
	if (r->mode != MODE_NONE || !target)
		return false;
	r->mode = mode;
	r->target = target;
	return true;
}

static bool parse_unsigned(const char *text, uint64_t low, uint64_t high, unsigned *out)
{
	uint64_t value;

	if (!text || !parse_number(text, low, high, &value))
		return false;
	*out = (unsigned)value;
	return true;
}

/* Reads one option; *at ends on its last argument. */
static bool parse_option(struct request *r, char **argv, int *at)
{
	const char *option = argv[*at], *value = argv[*at + 1];

	if (!strcmp(option, "--faults")) {
		r->with_faults = true;
		return true;
	}
	if (!strcmp(option, "--gaps")) {
		r->with_gaps = true;
		return true;
	}
	if (!value)
		return false;
	++*at;
	if (!strcmp(option, "--demo"))
		return set_mode(r, MODE_DEMO, value);
	if (!strcmp(option, "--source"))
		return set_mode(r, MODE_SOURCE, value);
	if (!strcmp(option, "--corpus"))
		return set_mode(r, MODE_CORPUS, value);
	if (!strcmp(option, "--tiny"))
		return set_mode(r, MODE_TINY, value);
	if (!strcmp(option, "--size"))
		return parse_size(value, &r->size_bytes) && set_mode(r, MODE_SIZE, argv[++*at]);
	if (!strcmp(option, "--system"))
		return set_mode(r, MODE_SYSTEM, value);
	if (!strcmp(option, "--seed"))
		return parse_number(value, 1, UINT64_MAX, &r->seed);
	if (!strcmp(option, "--version"))
		return parse_unsigned(value, 4, 6, &r->version);
	if (!strcmp(option, "--arch"))
		return parse_unsigned(value, 1, 2, &r->arch);
	if (!strcmp(option, "--cores"))
		return parse_unsigned(value, 1, 2, &r->cores);
	if (!strcmp(option, "--instances"))
		return parse_unsigned(value, 1, 1000, &r->instances);
	if (!strcmp(option, "--workers"))
		return parse_unsigned(value, 1, 1024, &r->workers);
	if (!strcmp(option, "--events"))
		return parse_number(value, 1, UINT64_C(1) << 40, &r->event_count);
	if (!strcmp(option, "--delay-ms"))
		return parse_number(value, 0, UINT64_C(1) << 40, &r->delay_ms);
	r->neff = value;
	return !strcmp(option, "--neff");
}

/* --- writing --------------------------------------------------------------------- */

static bool complain(const struct nx_error *err)
{
	fprintf(stderr, "make_capture: %s\n", err->message);
	return false;
}

static bool write_output(void *context, const void *data, size_t len)
{
	struct nx_output *out = context;

	nx_output_write(out, data, len);
	return out->status == NX_OK;
}

static bool write_file(const char *path, const struct nx_bytes *bytes)
{
	struct nx_output out;
	struct nx_error err;

	if (nx_output_open(&out, path, &err))
		return complain(&err);
	nx_output_write(&out, bytes->items, bytes->len);
	return nx_output_commit(&out, &err) ? complain(&err) : true;
}

static bool write_neff(const struct nx_synthetic_machine *machine, const char *path)
{
	struct nx_bytes bytes = {0};
	bool is_written;

	if (!path)
		return true;
	nx_synthetic_write_neff(machine, &bytes);
	is_written = write_file(path, &bytes);
	nx_vec_release(&bytes);
	return is_written;
}

static bool write_ntff(struct nx_synthetic_machine *machine, const char *path, uint64_t run_count)
{
	struct nx_synthetic_counts counts;
	struct nx_output out;
	struct nx_error err;

	if (nx_output_open(&out, path, &err))
		return complain(&err);
	(void)nx_synthetic_write_ntff(machine, run_count, write_output, &out, &counts);
	if (nx_output_commit(&out, &err))
		return complain(&err);
	printf("%s: %llu records, %.3f ms of device time\n", path,
	       (unsigned long long)counts.record_count, (double)counts.total_time_ps / 1e9);
	return true;
}

static struct nx_synthetic_options options_of(const struct request *r)
{
	struct nx_synthetic_options o =
		r->mode == MODE_TINY ? nx_synthetic_tiny : nx_synthetic_demo;

	/* a program no larger than the capture asked for */
	if (r->mode == MODE_SIZE && r->size_bytes < (uint64_t)8 << 20)
		o.layer_count = 1;
	o.seed = r->seed ? r->seed : o.seed;
	o.version = r->version ? r->version : o.version;
	o.arch = r->arch ? r->arch : o.version < 6 ? 1 : o.arch;
	o.graph_count = r->cores ? r->cores : o.version < 6 ? 1 : o.graph_count;
	o.with_faults = r->with_faults;
	return o;
}

static bool make_pair(const struct request *r, const char *ntff, const char *neff)
{
	struct nx_synthetic_options options = options_of(r);
	struct nx_synthetic_machine *machine = nx_synthetic_machine_new(&options);
	uint64_t run_count = r->size_bytes / nx_synthetic_bytes_per_run(machine);
	bool is_written =
		write_neff(machine, neff) && write_ntff(machine, ntff, run_count ? run_count : 1);

	nx_synthetic_machine_free(machine);
	return is_written;
}

/* The kernel's text, below the folder that view gets as --source-code-root. */
static bool write_source(const struct request *r)
{
	struct nx_synthetic_options options = options_of(r);
	struct nx_bytes text = {0};
	struct nx_error err;
	char path[4096];
	bool is_written;

	snprintf(path, sizeof(path), "%.3900s/" NX_SYNTHETIC_KERNEL_FILE, r->target);
	*strrchr(path, '/') = '\0';
	if (nx_make_directories(path, &err))
		return complain(&err);
	snprintf(path, sizeof(path), "%.3900s/" NX_SYNTHETIC_KERNEL_FILE, r->target);
	nx_synthetic_source(&options, &text);
	is_written = write_file(path, &text);
	nx_vec_release(&text);
	return is_written;
}

static bool make_demo(const struct request *r)
{
	char neff[4096], ntff[4096];
	struct nx_error err;

	if (nx_make_directories(r->target, &err))
		return complain(&err);
	snprintf(neff, sizeof(neff), "%.4000s/demo.neff", r->target);
	snprintf(ntff, sizeof(ntff), "%.4000s/demo.ntff", r->target);
	return make_pair(r, ntff, neff);
}

static bool write_seed(void *context, const char *target, const char *name,
		       const struct nx_bytes *bytes)
{
	const struct request *r = context;
	struct nx_error err;
	char path[4096];

	snprintf(path, sizeof(path), "%.3900s/%s", r->target, target);
	if (nx_make_directories(path, &err))
		return complain(&err);
	snprintf(path, sizeof(path), "%.3900s/%s/%s", r->target, target, name);
	return write_file(path, bytes);
}

static bool make_system(const struct request *r)
{
	struct nx_synthetic_system_options options = nx_synthetic_system_small;
	struct nx_synthetic_system_counts counts;
	struct nx_error err;

	options.seed = r->seed ? r->seed : options.seed;
	options.instance_count = r->instances ? r->instances : options.instance_count;
	options.worker_count = r->workers ? r->workers : options.worker_count;
	options.event_count = r->event_count ? r->event_count : options.event_count;
	options.has_growing_gaps = r->with_gaps;
	options.delay_ns = r->delay_ms * 1000000;
	if (nx_synthetic_system_write(&options, r->target, &counts, &err))
		return complain(&err);
	printf("%s: %llu processes, %llu records\n", r->target,
	       (unsigned long long)counts.process_count, (unsigned long long)counts.record_count);
	return true;
}

int main(int argc, char **argv)
{
	struct request r = {0};
	bool is_done = false;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		if (!parse_option(&r, argv, &i)) {
			fputs(usage, stderr);
			return 2;
		}
	switch (r.mode) {
	case MODE_NONE:
		fputs(usage, stderr);
		return 2;
	case MODE_DEMO:
		is_done = make_demo(&r);
		break;
	case MODE_CORPUS:
		is_done = nx_synthetic_corpus(write_seed, &r) &&
			  nx_synthetic_system_corpus(write_seed, &r) &&
			  nx_synthetic_parquet_corpus(write_seed, &r);
		break;
	case MODE_SOURCE:
		is_done = write_source(&r);
		break;
	case MODE_SYSTEM:
		is_done = make_system(&r);
		break;
	case MODE_SIZE:
	case MODE_TINY:
		is_done = make_pair(&r, r.target, r.neff);
		break;
	}
	return is_done ? 0 : 1;
}
