/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every byte of an input file may be a lie. Each byte of a small capture is
 * falsified and each of its prefixes is read, through everything up to the
 * JSON; whatever comes out, the program must survive it, and a refusal must
 * come with a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/exporters.h"
#include "pipeline/device_session.h"
#include "tests/data/memory_file.h"
#include "tests/data/synthetic.h"

/* Under ASan each reading takes many times longer, so fewer places are tried there. */
#if defined(__SANITIZE_ADDRESS__)
#define THINNING 4
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define THINNING 4
#endif
#endif
#ifndef THINNING
#define THINNING 1
#endif

struct pair {
	struct nx_bytes neff, ntff;
};

static void export_all(const struct nx_profile *profile)
{
	struct nx_export_options options = {0};
	struct nx_error err = {0};
	struct nx_output out;

	assert_int_equal(nx_output_open(&out, "/dev/null", &err), NX_OK);
	assert_int_equal(nx_export_json(profile, &options, &out, &err), NX_OK);
	assert_int_equal(nx_export_summary_json(profile, &options, &out, &err), NX_OK);
	assert_int_equal(nx_output_commit(&out, &err), NX_OK);
}

/* True when the files could be read at all. */
static bool survive(struct nx_slice neff, struct nx_slice ntff)
{
	struct nx_memory_file neff_file, ntff_file;
	struct nx_device_session_options options = {.force = true};
	struct nx_device_session *opened;
	struct nx_error err = {0};
	enum nx_status st;

	assert_true(nx_memory_file_open(&neff_file, neff));
	assert_true(nx_memory_file_open(&ntff_file, ntff));
	options.neff_path = neff.len ? neff_file.path : NULL;
	options.session_path = ntff_file.path;
	st = nx_device_session_open(&opened, &options, &err);
	if (st) {
		assert_int_equal(err.status, st);
		assert_true(err.message[0] != 0);
	} else {
		export_all(nx_device_session_borrow(opened));
		nx_device_session_close(opened);
	}
	nx_memory_file_close(&neff_file);
	nx_memory_file_close(&ntff_file);
	return st == NX_OK;
}

static struct nx_slice slice_of(const struct nx_bytes *bytes)
{
	return nx_slice_of(bytes->items, bytes->len);
}

static struct pair make(struct nx_synthetic_options options)
{
	struct pair pair = {0};

	nx_synthetic_capture(&options, &pair.neff, &pair.ntff, NULL);
	assert_true(survive(slice_of(&pair.neff), slice_of(&pair.ntff)));
	return pair;
}

static void release(struct pair *pair)
{
	nx_vec_release(&pair->neff);
	nx_vec_release(&pair->ntff);
}

/* Lies alternate between one wrong bit, all bits wrong, and the extremes. */
static uint8_t falsify(uint8_t byte, size_t at)
{
	switch (at % 4) {
	case 0:
		return byte ^ (uint8_t)(1u << at / 4 % 8);
	case 1:
		return (uint8_t)~byte;
	case 2:
		return byte == 0xff ? 0x7f : 0xff;
	default:
		return byte ? 0 : 0x80;
	}
}

static void falsify_each(struct pair *pair, struct nx_bytes *victim, size_t first, size_t step)
{
	size_t read = 0, tried = 0;

	for (size_t at = first; at < victim->len; at += step) {
		uint8_t truth = victim->items[at];

		victim->items[at] = falsify(truth, at / step);
		read += survive(slice_of(&pair->neff), slice_of(&pair->ntff));
		victim->items[at] = truth;
		tried++;
	}
	/* a test whose every input is refused at the door would prove nothing */
	assert_true(read > tried / 10);
}

static void cut_each(struct pair *pair, struct nx_bytes *victim, size_t step)
{
	size_t whole = victim->len;

	for (victim->len = 1; victim->len < whole; victim->len += step)
		survive(slice_of(&pair->neff), slice_of(&pair->ntff));
	victim->len = whole;
}

static struct nx_synthetic_options tiny(unsigned version, bool with_faults)
{
	struct nx_synthetic_options options = nx_synthetic_tiny;

	options.version = version;
	options.arch = version < 6 ? 1 : 2;
	options.with_faults = with_faults;
	options.package_version = 1;
	return options;
}

static void test_false_bytes_in_a_capture(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 6; version++) {
		struct pair pair = make(tiny(version, true));

		/* without a NEFF the capture has to be believed alone */
		if (version == 5)
			nx_vec_clear(&pair.neff);
		falsify_each(&pair, &pair.ntff, 0, (version == 6 ? 1 : 3) * THINNING);
		release(&pair);
	}
}

static void test_cut_captures(void **state)
{
	(void)state;
	for (unsigned version = 4; version <= 6; version += 2) {
		struct pair pair = make(tiny(version, false));

		cut_each(&pair, &pair.ntff, (version == 6 ? 1 : 3) * THINNING);
		release(&pair);
	}
}

/* Plain archives, so that lies reach what is inside. */
static void test_false_bytes_in_a_neff(void **state)
{
	struct pair pair = make(tiny(6, false));

	(void)state;
	falsify_each(&pair, &pair.neff, 0, 13 * THINNING);
	release(&pair);
}

static void test_false_bytes_in_a_packed_neff(void **state)
{
	struct nx_synthetic_options options = tiny(6, false);
	struct pair pair;

	(void)state;
	options.package_version = 2;
	pair = make(options);
	falsify_each(&pair, &pair.neff, 0, 5 * THINNING);
	release(&pair);
}

static void test_cut_neffs(void **state)
{
	struct nx_synthetic_options options = tiny(6, false);
	struct pair pair = make(options);

	(void)state;
	cut_each(&pair, &pair.neff, 53 * THINNING);
	release(&pair);
	options.package_version = 2;
	pair = make(options);
	cut_each(&pair, &pair.neff, 7 * THINNING);
	release(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_bytes_in_a_capture),
		cmocka_unit_test(test_cut_captures),
		cmocka_unit_test(test_false_bytes_in_a_neff),
		cmocka_unit_test(test_false_bytes_in_a_packed_neff),
		cmocka_unit_test(test_cut_neffs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
