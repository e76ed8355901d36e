/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a capture through one exporter, without the command line in between:
 * export_capture FORMAT SESSION NEFF|- OUT [flows] [plain]
 */
#include <stdio.h>
#include <string.h>

#include "export/exporters.h"
#include "pipeline/device_session.h"

static enum nx_status write_file(const struct nx_profile *profile, const char *format,
				 const char *path, const struct nx_export_options *options,
				 struct nx_error *err)
{
	const struct nx_exporter *exporter = nx_exporter_find(format);
	struct nx_output out;
	enum nx_status st;

	if (!exporter)
		return nx_fail(err, NX_USAGE, "there is no format %s", format);
	st = nx_output_open(&out, path, err);
	if (st)
		return st;
	st = exporter->write(profile, options, &out, err);
	if (st) {
		nx_output_abort(&out);
		return st;
	}
	return nx_output_commit(&out, err);
}

int main(int argc, char **argv)
{
	struct nx_export_options options = {.compress = true};
	struct nx_device_session_options input = {0};
	struct nx_device_session *device;
	struct nx_error err = {0};
	enum nx_status st;

	if (argc < 5) {
		fprintf(stderr, "usage: %s FORMAT SESSION NEFF|- OUT [flows] [plain]\n", argv[0]);
		return 2;
	}
	for (int i = 5; i < argc; i++) {
		options.perfetto_flows |= !strcmp(argv[i], "flows");
		options.compress &= strcmp(argv[i], "plain") != 0;
	}
	input.session_path = argv[2];
	input.neff_path = strcmp(argv[3], "-") != 0 ? argv[3] : NULL;
	st = nx_device_session_open(&device, &input, &err);
	if (!st) {
		st = write_file(nx_device_session_borrow(device), argv[1], argv[4], &options, &err);
		nx_device_session_close(device);
	}
	if (st)
		fprintf(stderr, "%s\n", err.message);
	return nx_status_exit_code(st);
}
