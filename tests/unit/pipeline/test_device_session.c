/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures are made with known contents, read back through the whole pipeline,
 * and every number is compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "format/notification.h"
#include "pipeline/device_session.h"
#include "tests/data/memory_file.h"
#include "tests/data/synthetic.h"

struct fixture {
	struct nx_bytes neff, ntff;
	struct nx_synthetic_counts counts;
	struct nx_memory_file neff_file, ntff_file;
	struct nx_device_session *opened;
	const struct nx_profile *profile;
	struct nx_error err;
};

static struct nx_slice slice_of(const struct nx_bytes *bytes)
{
	return nx_slice_of(bytes->items, bytes->len);
}

static void make(struct fixture *f, const struct nx_synthetic_options *options)
{
	memset(f, 0, sizeof(*f));
	nx_synthetic_capture(options, &f->neff, &f->ntff, &f->counts);
}

static enum nx_status open_both(struct fixture *f, bool with_neff, bool force)
{
	struct nx_device_session_options options = {.force = force};
	enum nx_status st;

	assert_true(nx_memory_file_open(&f->ntff_file, slice_of(&f->ntff)));
	assert_true(nx_memory_file_open(&f->neff_file, slice_of(&f->neff)));
	options.session_path = f->ntff_file.path;
	options.neff_path = with_neff ? f->neff_file.path : NULL;
	st = nx_device_session_open(&f->opened, &options, &f->err);
	f->profile = st ? NULL : nx_device_session_borrow(f->opened);
	return st;
}

static void open_sound(struct fixture *f, bool with_neff, bool force)
{
	assert_int_equal(open_both(f, with_neff, force), NX_OK);
	if (!f->profile)
		abort(); /* an analyser does not know that a failed assertion ends the test */
}

static void done(struct fixture *f)
{
	if (f->profile)
		nx_device_session_close(f->opened);
	nx_memory_file_close(&f->ntff_file);
	nx_memory_file_close(&f->neff_file);
	nx_vec_release(&f->neff);
	nx_vec_release(&f->ntff);
}

static bool has_warning(const struct nx_profile *p, const char *category, const char *part)
{
	for (size_t i = 0; i < p->warnings.len; i++)
		if (!strcmp(p->warnings.items[i].category, category) &&
		    strstr(p->warnings.items[i].message, part))
			return true;
	return false;
}

static uint64_t metric(const struct nx_profile *p, const char *name)
{
	for (size_t i = 0; i < p->metrics.len; i++)
		if (!strcmp(p->metrics.items[i].name, name)) {
			assert_int_equal(p->metrics.items[i].kind, NX_METRIC_COUNT);
			return p->metrics.items[i].count;
		}
	fail_msg("the summary has no %s", name);
	return 0;
}

/* --- rows -------------------------------------------------------------------- */

struct row_sums {
	uint64_t count[NX_SYNTHETIC_GRAPHS];
	uint64_t bytes[NX_SYNTHETIC_GRAPHS];
	uint64_t last_ps;
	uint64_t attributed; /* packets of a static transfer */
	const struct nx_profile *profile;
};

static void add_packet(void *context, const void *opaque)
{
	struct row_sums *sums = context;
	const struct nx_packet *row = opaque;

	assert_true(row->graph < NX_SYNTHETIC_GRAPHS);
	assert_true(row->start_ps >= sums->last_ps);
	assert_true(row->end_ps >= row->start_ps);
	sums->last_ps = row->start_ps;
	sums->count[row->graph]++;
	sums->bytes[row->graph] += row->size_bytes;
	sums->attributed += nx_profile_find_transfer(sums->profile, row) != NX_NONE;
}

static void add_event(void *context, const void *opaque)
{
	const struct nx_event *row = opaque;

	assert_true(row->graph < NX_SYNTHETIC_GRAPHS);
	assert_true(row->is_semaphore);
	assert_int_equal(row->mode, 3);
	((struct row_sums *)context)->count[row->graph]++;
}

static void add_throttle(void *context, const void *opaque)
{
	const struct nx_throttle *row = opaque;

	((struct row_sums *)context)->count[row->graph]++;
}

static void add_fault(void *context, const void *opaque)
{
	const struct nx_fault *row = opaque;

	((struct row_sums *)context)->count[row->graph]++;
}

static struct row_sums sum_rows(const struct fixture *f, enum nx_table table, nx_row_fn fn)
{
	struct row_sums sums = {.profile = f->profile};

	assert_int_equal(nx_profile_scan(f->profile, table, fn, &sums, NULL), NX_OK);
	return sums;
}

static void check_rows(const struct fixture *f)
{
	struct row_sums packets = sum_rows(f, NX_TABLE_PACKET, add_packet);
	struct row_sums events = sum_rows(f, NX_TABLE_EVENT, add_event);
	struct row_sums throttles = sum_rows(f, NX_TABLE_THROTTLE, add_throttle);
	struct row_sums faults = sum_rows(f, NX_TABLE_FAULT, add_fault);

	for (unsigned g = 0; g < f->profile->capture.graph_count; g++) {
		const struct nx_synthetic_graph_counts *want = &f->counts.graphs[g];

		assert_int_equal(packets.count[g], want->packet_count);
		assert_int_equal(packets.bytes[g], want->packet_bytes);
		assert_int_equal(events.count[g], want->event_count - want->early_event_count);
		assert_int_equal(throttles.count[g], want->throttle_count);
	}
	assert_int_equal(faults.count[0] + faults.count[1], f->counts.fault_count);
}

static void check_counts(const struct fixture *f, bool has_transfers)
{
	const struct nx_profile *p = f->profile;
	uint64_t matmuls = 0, transfers = 0;

	for (unsigned g = 0; g < p->capture.graph_count; g++) {
		const struct nx_synthetic_graph_counts *want = &f->counts.graphs[g];
		const struct nx_graph_counts *got = &p->graphs[g];
		uint64_t wanted;

		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			assert_int_equal(got->instruction_count[e], want->instruction_count[e]);
		assert_int_equal(got->packet_count, want->packet_count);
		assert_int_equal(got->event_count, want->event_count);
		/* with DGE notifications also dynamic DMAs */
		wanted = (has_transfers ? want->transfer_count : 0) +
			 (f->counts.dge_record_count ? want->dynamic_dma_count : 0);
		assert_int_equal(got->transfer_count, wanted);
		matmuls += want->matmul_count;
		transfers += wanted;
	}
	assert_int_equal(p->capture.total_time_ps, f->counts.total_time_ps);
	assert_int_equal(metric(p, "matmul_instruction_count"), matmuls);
	assert_int_equal(p->transfers.len, transfers);
	check_rows(f);
}

/* --- round trips ------------------------------------------------------------- */

static struct nx_synthetic_options medium(unsigned version, unsigned graph_count)
{
	struct nx_synthetic_options options = nx_synthetic_demo;

	options.version = version;
	options.arch = version < 6 ? 1 : 2;
	options.graph_count = graph_count;
	options.layer_count = 3;
	options.tile_count = 2;
	options.dma_engine_count = 4;
	options.packet_count = 3;
	return options;
}

static void round_trip(const struct nx_synthetic_options *options, bool with_neff,
		       bool has_transfers)
{
	struct fixture f;

	make(&f, options);
	open_sound(&f, with_neff, false);
	assert_int_equal(f.profile->capture.version, options->version);
	assert_int_equal(f.profile->capture.arch, options->arch);
	assert_int_equal(f.profile->capture.graph_count, options->graph_count);
	check_counts(&f, has_transfers);
	done(&f);
}

static void test_every_version_reads_back(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 6; version++)
		for (unsigned graphs = 1; graphs <= NX_SYNTHETIC_GRAPHS; graphs++) {
			struct nx_synthetic_options options = medium(version, graphs);

			round_trip(&options, true, true);
			round_trip(&options, false, false);
		}
}

/* Each generation of files was written by runtimes of both chips at some time. */
static void test_versions_on_the_other_chip(void **state)
{
	struct nx_synthetic_options options = medium(5, 1);

	(void)state;
	options.arch = 2;
	round_trip(&options, true, true);
	options = medium(6, 2);
	options.arch = 1;
	round_trip(&options, true, true);
}

/* With one static block in all, a NEFF is not needed to tell what a WRITE triggers. */
static void test_a_single_block_needs_no_neff(void **state)
{
	(void)state;
	round_trip(&nx_synthetic_tiny, true, true);
	round_trip(&nx_synthetic_tiny, false, true);
}

static void test_without_debug_info(void **state)
{
	struct nx_synthetic_options options = medium(6, 1);
	struct fixture f;

	(void)state;
	options.without_debug_info = true;
	make(&f, &options);
	open_sound(&f, true, false);
	check_counts(&f, true);
	assert_int_equal(f.profile->with_layer_count, 0);
	done(&f);
}

static void test_plain_archive(void **state)
{
	struct nx_synthetic_options options = medium(6, 2);

	(void)state;
	options.package_version = 1;
	round_trip(&options, true, true);
}

static bool append_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
	return true;
}

static void test_a_program_run_many_times(void **state)
{
	struct nx_synthetic_options options = medium(6, 2);
	struct nx_synthetic_machine *machine = nx_synthetic_machine_new(&options);
	struct nx_synthetic_counts once;
	struct nx_bytes ignored = {0};
	struct fixture f = {0};

	(void)state;
	nx_synthetic_write_neff(machine, &f.neff);
	assert_true(nx_synthetic_write_ntff(machine, 1, append_bytes, &ignored, &once));
	assert_true(nx_synthetic_write_ntff(machine, 40, append_bytes, &f.ntff, &f.counts));
	assert_int_equal(f.counts.graphs[1].packet_count, 40 * once.graphs[1].packet_count);
	assert_int_equal(f.counts.graphs[0].transfer_count, 40 * once.graphs[0].transfer_count);
	open_sound(&f, true, false);
	check_counts(&f, true);
	nx_vec_release(&ignored);
	nx_synthetic_machine_free(machine);
	done(&f);
}

static void test_equal_options_give_equal_bytes(void **state)
{
	struct nx_synthetic_options options = medium(6, 2);
	struct fixture a, b, c;

	(void)state;
	make(&a, &options);
	make(&b, &options);
	options.seed = 77;
	make(&c, &options);
	assert_true(nx_slice_equal(slice_of(&a.ntff), slice_of(&b.ntff)));
	assert_true(nx_slice_equal(slice_of(&a.neff), slice_of(&b.neff)));
	assert_false(nx_slice_equal(slice_of(&a.ntff), slice_of(&c.ntff)));
	nx_vec_release(&a.ntff);
	nx_vec_release(&a.neff);
	nx_vec_release(&b.ntff);
	nx_vec_release(&b.neff);
	nx_vec_release(&c.ntff);
	nx_vec_release(&c.neff);
}

/* --- what the NEFF adds --------------------------------------------------------- */

static const struct nx_layer *find_layer(const struct nx_profile *p, const char *name)
{
	for (size_t i = 0; i < p->layers.len; i++)
		if (!strcmp(p->layers.items[i].name, name))
			return &p->layers.items[i];
	return NULL;
}

static void test_layers_have_their_names(void **state)
{
	struct nx_synthetic_options options = medium(6, 1);
	const struct nx_layer *layer;
	struct fixture f;

	(void)state;
	make(&f, &options);
	open_sound(&f, true, false);
	/* embedding, thirteen parts of three layers, head; one row for the whole graph */
	assert_int_equal(f.counts.layer_name_count, 2 + 13 * 3);
	assert_int_equal(f.profile->layers.len, 1 + 2 + 13 * 3);
	layer = find_layer(f.profile, "Llama/layers.1/attention/q_proj");
	assert_non_null(layer);
	/* two tiles of two passes: weights and matmul each; q_proj has no EVENT_SEMAPHORE before
	 * a bank is used again, so count only what must be there */
	assert_true(layer->engines[NX_ENGINE_TENSOR].instruction_count >= 8);
	assert_int_equal(layer->flop_count, 2 * 4 * UINT64_C(128) * 128 * 512);
	assert_non_null(find_layer(f.profile, "Llama/lm_head"));
	done(&f);
}

static void test_every_static_packet_belongs_to_a_transfer(void **state)
{
	struct nx_synthetic_options options = medium(6, 2);
	struct row_sums packets;
	uint64_t expected = 0;
	struct fixture f;

	(void)state;
	make(&f, &options);
	open_sound(&f, true, false);
	packets = sum_rows(&f, NX_TABLE_PACKET, add_packet);
	for (size_t i = 0; i < f.profile->transfers.len; i++) {
		const struct nx_transfer *t = &f.profile->transfers.items[i];

		assert_true(t->start_ps > t->trigger_ps);
		assert_int_equal(t->size_bytes % (4 * 512), 0);
		expected += t->packet_count;
	}
	assert_int_equal(packets.attributed, expected);
	/* all but the table loads (4) and two dynamic DMAs of 4 engines, 2 + 1 packets each */
	assert_int_equal(expected, f.counts.graphs[0].packet_count +
					   f.counts.graphs[1].packet_count - 2 * (4 + 2 * 4 * 3));
	done(&f);
}

/* --- faults --------------------------------------------------------------------- */

static void test_nothing_is_dropped_in_silence(void **state)
{
	struct nx_synthetic_options options = medium(6, 2);
	struct fixture f;

	(void)state;
	options.with_faults = true;
	make(&f, &options);
	assert_int_equal(f.counts.fault_count, 3);
	open_sound(&f, true, false);
	check_counts(&f, true);
	assert_true(has_warning(f.profile, "Unknown Data", "1 fields"));
	assert_true(has_warning(f.profile, "Unknown Data", "field 500"));
	assert_true(has_warning(f.profile, "Unknown Data", "1 trace rings"));
	assert_true(has_warning(f.profile, "Unknown Data", "3 records of an unknown type"));
	assert_true(has_warning(f.profile, "Hardware", "3 errors"));
	assert_false(has_warning(f.profile, "Missing Data", "DGE"));
	done(&f);
}

static void test_a_sound_capture_has_no_loss(void **state)
{
	struct nx_synthetic_options options = medium(6, 2);
	struct fixture f;

	(void)state;
	make(&f, &options);
	open_sound(&f, true, false);
	for (size_t i = 0; i < f.profile->warnings.len; i++)
		assert_string_equal(f.profile->warnings.items[i].category, "Missing Data");
	assert_true(has_warning(f.profile, "Missing Data", "4 dynamic DMAs"));
	done(&f);
}

/* --- files that do not fit ---------------------------------------------------------- */

static void other_neff(struct fixture *f, unsigned version)
{
	struct nx_synthetic_options options = medium(version, 1);
	struct nx_bytes ignored = {0};

	make(f, &options);
	nx_vec_clear(&f->neff);
	options.seed = 4711;
	nx_synthetic_capture(&options, &f->neff, &ignored, NULL);
	nx_vec_release(&ignored);
}

static void test_another_models_neff_is_refused(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 6; version++) {
		struct fixture f;

		other_neff(&f, version);
		assert_int_equal(open_both(&f, true, false), NX_MISMATCH);
		assert_non_null(strstr(f.err.message, f.ntff_file.path));
		assert_non_null(strstr(f.err.message, f.neff_file.path));
		assert_non_null(strstr(f.err.message, "--force"));
		done(&f);
	}
}

static void test_force_joins_them_all_the_same(void **state)
{
	struct fixture f;

	(void)state;
	other_neff(&f, 6);
	open_sound(&f, true, true);
	assert_true(f.profile->has_binary);
	assert_true(has_warning(f.profile, "Mismatch", f.neff_file.path));
	done(&f);
}

static void test_missing_files(void **state)
{
	struct nx_device_session_options options = {.session_path = "/nowhere/a.ntff"};
	struct nx_device_session *opened;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_device_session_open(&opened, &options, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "/nowhere/a.ntff"));
}

static void test_no_such_execution(void **state)
{
	struct nx_device_session_options options = {.execution = 3};
	struct nx_device_session *opened;
	struct nx_memory_file file;
	struct nx_error err;
	struct fixture f;

	(void)state;
	make(&f, &nx_synthetic_tiny);
	assert_true(nx_memory_file_open(&file, slice_of(&f.ntff)));
	options.session_path = file.path;
	assert_int_equal(nx_device_session_open(&opened, &options, &err), NX_NOT_FOUND);
	assert_non_null(strstr(err.message, "execution 3"));
	nx_memory_file_close(&file);
	nx_vec_release(&f.ntff);
	nx_vec_release(&f.neff);
}

/* --- cut files ------------------------------------------------------------------------ */

/* The file ends with the DMA ring and the throttle ring; cut inside the former. */
static void test_a_cut_tail_keeps_what_came_before(void **state)
{
	struct nx_synthetic_options options = medium(6, 1);
	uint64_t ends = 0, dma_bytes, throttle_bytes;
	struct fixture f;
	size_t first;

	(void)state;
	make(&f, &options);
	dma_bytes = f.counts.graphs[0].packet_count * 3 * NX_NOTIFICATION_BYTES;
	throttle_bytes = f.counts.graphs[0].throttle_count * NX_NOTIFICATION_BYTES;
	first = f.ntff.len - throttle_bytes - dma_bytes;
	f.ntff.len = first + dma_bytes / 2 / NX_NOTIFICATION_BYTES * NX_NOTIFICATION_BYTES + 7;
	for (size_t at = first; at + NX_NOTIFICATION_BYTES <= f.ntff.len;
	     at += NX_NOTIFICATION_BYTES)
		ends += (nx_load32(f.ntff.items + at + 4) & 15) == NX_DMA_END;
	open_sound(&f, true, false);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		assert_int_equal(f.profile->graphs[0].instruction_count[e],
				 f.counts.graphs[0].instruction_count[e]);
	assert_int_equal(f.profile->graphs[0].event_count, f.counts.graphs[0].event_count);
	assert_true(ends > 10);
	assert_int_equal(f.profile->graphs[0].packet_count, ends);
	assert_true(has_warning(f.profile, "Data Loss", "cut short"));
	assert_true(has_warning(f.profile, "Data Loss", "7 bytes"));
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_version_reads_back),
		cmocka_unit_test(test_versions_on_the_other_chip),
		cmocka_unit_test(test_a_single_block_needs_no_neff),
		cmocka_unit_test(test_without_debug_info),
		cmocka_unit_test(test_plain_archive),
		cmocka_unit_test(test_a_program_run_many_times),
		cmocka_unit_test(test_equal_options_give_equal_bytes),
		cmocka_unit_test(test_layers_have_their_names),
		cmocka_unit_test(test_every_static_packet_belongs_to_a_transfer),
		cmocka_unit_test(test_nothing_is_dropped_in_silence),
		cmocka_unit_test(test_a_sound_capture_has_no_loss),
		cmocka_unit_test(test_another_models_neff_is_refused),
		cmocka_unit_test(test_force_joins_them_all_the_same),
		cmocka_unit_test(test_missing_files),
		cmocka_unit_test(test_no_such_execution),
		cmocka_unit_test(test_a_cut_tail_keeps_what_came_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
