/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_neff: runs a NEFF on the software device, for tests and for a look at it.
 *
 *	run_neff FILE.neff [--input NAME=X.npy]... [--output-dir DIR] [--seed N]
 *		[--repeat N] [--poison] [--strict] [--exact]
 *
 * Without --input a tensor is zero. Each output is written as DIR/NAME.npy; a line of JSON on
 * standard output says what the run did. The exit code is that of the status.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "format/instruction.h"
#include "format/neff.h"
#include "format/npy.h"
#include "runtime/device/device.h"
#include "runtime/device/device_program.h"

struct request {
	const char *neff;
	const char *output_directory;
	const char *inputs[64];
	unsigned input_count;
	unsigned repeat_count;
	struct nx_device_options options;
};

static bool parse(int argc, char **argv, struct request *r)
{
	static const struct option names[] = {
		{"input", required_argument, NULL, 'i'},
		{"output-dir", required_argument, NULL, 'o'},
		{"seed", required_argument, NULL, 's'},
		{"repeat", required_argument, NULL, 'r'},
		{"poison", no_argument, NULL, 'p'},
		{"strict", no_argument, NULL, 't'},
		{"exact", no_argument, NULL, 'e'},
		{NULL, 0, NULL, 0},
	};
	int option;

	r->repeat_count = 1;
	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == 'i' && r->input_count < 64)
			r->inputs[r->input_count++] = optarg;
		else if (option == 'o')
			r->output_directory = optarg;
		else if (option == 's')
			r->options.seed = strtoull(optarg, NULL, 10);
		else if (option == 'r')
			r->repeat_count = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == 'p')
			r->options.is_poisoned = true;
		else if (option == 't')
			r->options.is_strict = true;
		else if (option == 'e')
			r->options.has_exact_functions = true;
		else
			return false;
	}
	r->neff = argv[optind];
	return optind == argc - 1;
}

static enum nx_status set_input(struct nx_device *device, const char *text, struct nx_error *err)
{
	const char *equals = strchr(text, '=');
	struct nx_file file = {0};
	struct nx_npy array;
	enum nx_status status;
	char name[256];
	size_t tensor;

	if (!equals || (size_t)(equals - text) >= sizeof(name))
		return nx_fail(err, NX_USAGE, "--input wants NAME=FILE, not %s", text);
	memcpy(name, text, (size_t)(equals - text));
	name[equals - text] = '\0';
	tensor = nx_device_find(device, name);
	if (tensor == NX_DEVICE_NO_TENSOR)
		return nx_fail(err, NX_NOT_FOUND, "the model has no tensor %s", name);
	status = nx_file_map(&file, equals + 1, err);
	if (status)
		return status;
	if (!nx_npy_read(file.bytes, &array))
		status = nx_fail(err, NX_FORMAT, "%s is no .npy", equals + 1);
	else if (array.payload.len != nx_device_tensor_borrow(device, tensor)->size_bytes)
		status = nx_fail(
			err, NX_MISMATCH, "%s has %zu bytes, %s wants %llu", equals + 1,
			array.payload.len, name,
			(unsigned long long)nx_device_tensor_borrow(device, tensor)->size_bytes);
	else
		status = nx_device_write(device, tensor, 0, array.payload, err);
	nx_file_unmap(&file);
	return status;
}

static const char *npy_dtype(unsigned dtype)
{
	static const char *const names[] = {"|V1", "<u8", "|i1", "|u1", "<i2", "<u2", "<V2", "<f2",
					    "<i4", "<u4", "<f4", "<f4", "<i8", "|V1", "|V1", "|V1"};

	return names[dtype < 16 ? dtype : 0];
}

static enum nx_status write_output(struct nx_device *device, size_t tensor, const char *directory,
				   struct nx_error *err)
{
	const struct nx_device_tensor *t = nx_device_tensor_borrow(device, tensor);
	struct nx_npy array = {.dims = t->dims};
	struct nx_bytes payload = {0}, file = {0};
	struct nx_output out = {0};
	enum nx_status status;
	char path[1024];

	snprintf(array.dtype, sizeof(array.dtype), "%s", npy_dtype(t->dtype));
	memcpy(array.shape, t->shape, sizeof(array.shape));
	nx_bytes_append_zeros(&payload, (size_t)t->size_bytes);
	status = nx_device_read(device, tensor, 0, payload.items, payload.len, err);
	array.payload = nx_slice_of(payload.items, payload.len);
	nx_npy_write(&array, &file);
	snprintf(path, sizeof(path), "%s/%s.npy", directory, t->name);
	if (!status)
		status = nx_output_open(&out, path, err);
	if (!status) {
		nx_output_write(&out, file.items, file.len);
		status = nx_output_commit(&out, err);
	}
	nx_vec_release(&payload);
	nx_vec_release(&file);
	return status;
}

static void print_opcodes(const struct nx_device_report *report)
{
	const char *comma = "";

	printf(", \"opcodes\": {");
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		uint64_t count = 0;
		char label[8];

		for (unsigned engine = 0; engine < NX_ENGINE_COUNT; engine++)
			count += report->executed[engine][opcode];
		if (count == 0)
			continue;
		printf("%s\"%s\": %llu", comma, nx_opcode_label((uint8_t)opcode, label),
		       (unsigned long long)count);
		comma = ", ";
	}
	printf("}");
}

static void print_faults(const struct nx_device_report *report)
{
	printf(", \"faults\": [");
	for (unsigned i = 0; i < report->fault_count; i++) {
		const struct nx_device_fault *f = &report->faults[i];
		char label[8];

		printf("%s\"core %u engine %u slot %u %s: %s: %s\"", i ? ", " : "", f->core,
		       f->engine, f->pc, nx_opcode_label(f->opcode, label),
		       nx_fault_kind_text(f->kind), f->text);
	}
	printf("]");
}

static void print_report(const struct nx_device *device, const struct nx_device_report *report,
			 double seconds)
{
	printf("{\"cores\": %zu, \"executed\": %llu, \"dma_count\": %llu, \"dma_bytes\": %llu, "
	       "\"flops\": %llu, \"nan_count\": %llu, \"seconds\": %.6f",
	       nx_device_program_borrow(device)->core_count,
	       (unsigned long long)report->executed_count, (unsigned long long)report->dma_count,
	       (unsigned long long)report->dma_bytes, (unsigned long long)report->flops,
	       (unsigned long long)report->nan_count, seconds);
	print_opcodes(report);
	print_faults(report);
	printf("}\n");
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum nx_status run(struct nx_device *device, const struct request *r, struct nx_error *err)
{
	struct nx_device_report report = {0};
	enum nx_status status = NX_OK;
	double best = 0;

	for (unsigned i = 0; i < r->input_count && !status; i++)
		status = set_input(device, r->inputs[i], err);
	if (status)
		return status;
	for (unsigned i = 0; i < r->repeat_count && !status; i++) {
		double start = now_s(), took;

		status = nx_device_run(device, &report, err);
		took = now_s() - start;
		if (i == 0 || took < best)
			best = took;
	}
	print_report(device, &report, best);
	for (size_t i = 0;
	     r->output_directory && i < nx_device_program_borrow(device)->tensor_count; i++)
		if (!status && nx_device_tensor_borrow(device, i)->kind == NX_DEVICE_OUTPUT)
			status = write_output(device, i, r->output_directory, err);
	return status;
}

int main(int argc, char **argv)
{
	struct request request = {0};
	struct nx_device *device = NULL;
	struct nx_file file = {0};
	struct nx_arena arena = {0};
	struct nx_neff neff;
	struct nx_error err = {0};
	enum nx_status status;

	if (!parse(argc, argv, &request)) {
		fprintf(stderr, "usage: run_neff FILE.neff [--input NAME=X.npy]... "
				"[--output-dir DIR] [--seed N] [--repeat N] [--poison] [--strict] "
				"[--exact]\n");
		return nx_status_exit_code(NX_USAGE);
	}
	status = nx_file_map(&file, request.neff, &err);
	if (!status)
		status = nx_neff_read(file.bytes, &arena, &neff, &err);
	if (!status)
		status = nx_device_open(&neff, &request.options, &device, &err);
	if (!status)
		status = run(device, &request, &err);
	if (status)
		fprintf(stderr, "run_neff: %s\n", err.message);
	nx_device_close(device);
	nx_arena_release(&arena);
	nx_file_unmap(&file);
	return nx_status_exit_code(status);
}
