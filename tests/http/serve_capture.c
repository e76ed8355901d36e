/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server under test:
 *	serve_capture serve PORT invented | NTFF [NEFF]	  prints the URL, ends at SIGINT
 *	serve_capture write EXPORTER FILE invented | NTFF [NEFF]
 * "invented" is a profile made here, whose names try to break out of the page.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/exporters.h"
#include "pipeline/device_profile.h"
#include "serve/serve.h"

#define EVIL "<script>alert(1)</script>\"'&"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void print_url(void *context, const char *url)
{
	(void)context;
	puts(url);
	fflush(stdout);
}

/* A window of 1200 ns, so that a column of the overview is one nanosecond. */
static enum nx_status scan_invented(void *context, enum nx_table table, nx_row_fn fn,
				    void *fn_context, struct nx_error *err)
{
	static const struct nx_active active[] = {
		{.start_ps = 0, .end_ps = 2500, .engine = NX_ENGINE_TENSOR},
		{.start_ps = 600000, .end_ps = 1200000, .engine = NX_ENGINE_VECTOR},
	};
	static const struct nx_throttle throttle = {
		.start_ps = 300000, .end_ps = 600000, .k = 1, .n = 4};

	(void)context, (void)err;
	if (table == NX_TABLE_ACTIVE)
		for (size_t i = 0; i < sizeof(active) / sizeof(active[0]); i++)
			fn(fn_context, &active[i]);
	if (table == NX_TABLE_THROTTLE)
		fn(fn_context, &throttle);
	return NX_OK;
}

static uint32_t find_no_transfer(void *context, const struct nx_packet *packet)
{
	(void)context, (void)packet;
	return NX_NONE;
}

static void add_metric(struct nx_profile *profile, const char *name, double number)
{
	struct nx_metric metric = {.name = name, .kind = NX_METRIC_NUMBER, .number = number};

	nx_vec_push(&profile->metrics, metric);
}

static void invent_layers(struct nx_profile *profile)
{
	char name[64];

	for (unsigned i = 0; i < 60; i++) {
		struct nx_layer layer = {.end_ps = 1000 + i};

		snprintf(name, sizeof(name), "layer-%u-%s", i, EVIL);
		layer.name = nx_arena_copy_text(&profile->arena, name);
		nx_vec_push(&profile->layers, layer);
	}
}

static void invent(struct nx_profile *profile)
{
	struct nx_capture *c = &profile->capture;

	*c = (struct nx_capture){
		.path = EVIL,
		.version = 6,
		.arch = NX_ARCH_V3,
		.hardware = nx_hardware_of(NX_ARCH_V3),
		.model_name = "model-" EVIL,
		.instance_type = "instance-" EVIL,
		.runtime_version = "runtime-" EVIL,
		.driver_version = "",
		.collectives_version = "",
		.instance_id = "i-private",
		.graph_count = 1,
		.total_time_ps = 1200000,
	};
	c->graphs = NX_NEW_ARRAY(&profile->arena, struct nx_graph, 1);
	c->graphs[0].name = "sg00";
	c->graphs[0].nc_idx = 7;
	profile->name = "../../na\"me\r\nX-Evil: 1";
	profile->source = (struct nx_row_source){scan_invented, find_no_transfer, NULL};
	nx_profile_warn(profile, "Data Loss", "a warning with %s", EVIL);
	add_metric(profile, "mfu_estimated_percent", 0.25);
	add_metric(profile, "name-" EVIL, 1);
	invent_layers(profile);
}

static int fail(const struct nx_error *error)
{
	fprintf(stderr, "%s\n", error->message);
	return nx_status_exit_code(error->status);
}

static int serve_it(const struct nx_profile *profile, const char *port)
{
	struct nx_serve_options options = {
		.port = (uint16_t)atoi(port), .on_ready = print_url, .stop = &stop};
	struct nx_error error = {0};

	signal(SIGINT, on_signal);
	return nx_serve_profile(profile, &options, &error) ? fail(&error) : 0;
}

static int write_it(const struct nx_profile *profile, const char *exporter, const char *path)
{
	struct nx_export_options options = {0};
	struct nx_error error = {0};
	struct nx_output out;

	if (nx_output_open(&out, path, &error) ||
	    nx_exporter_find(exporter)->write(profile, &options, &out, &error) ||
	    nx_output_commit(&out, &error))
		return fail(&error);
	return 0;
}

int main(int argc, char **argv)
{
	bool is_write = argc > 4 && !strcmp(argv[1], "write");
	char **source = argv + (is_write ? 4 : 3);
	struct nx_profile *invented = NULL;
	struct nx_device_profile *opened = NULL;
	const struct nx_profile *profile;
	struct nx_error error = {0};
	int code;

	if (argc < 4)
		return 2;
	if (!strcmp(source[0], "invented")) {
		static struct nx_profile made;

		invent(&made);
		profile = invented = &made;
	} else {
		struct nx_device_options options = {.session_path = source[0],
						    .neff_path = source[1]};

		if (nx_device_profile_open(&opened, &options, &error))
			return fail(&error);
		profile = nx_device_profile_borrow(opened);
	}
	code = is_write ? write_it(profile, argv[2], argv[3]) : serve_it(profile, argv[2]);
	if (opened)
		nx_device_profile_close(opened);
	if (invented) {
		nx_vec_release(&invented->layers);
		nx_vec_release(&invented->metrics);
		nx_vec_release(&invented->warnings);
		nx_arena_release(&invented->arena);
	}
	return code;
}
