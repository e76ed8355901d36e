/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "analyse/insights.h"

static struct nx_insight_facts nothing(void)
{
	struct nx_insight_facts facts;

	nx_insight_facts_clear(&facts);
	return facts;
}

static void what_is_not_known_is_not_judged(void **state)
{
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	assert_int_equal(nx_insights_judge(&facts, findings), 0);
	facts.model_flops_frac = 0.01;
	facts.tensor_active_frac = 0;
	assert_int_equal(nx_insights_judge(&facts, findings), 0);
}

static void good_numbers_are_no_findings(void **state)
{
	struct nx_insight_facts facts = {.model_flops_frac = 0.4,
					 .tensor_active_frac = 0.8,
					 .transpose_frac = 0.1,
					 .spill_reload_frac = 0.25,
					 .dma_active_frac = 0.9,
					 .dma_average_bytes = 4096,
					 .throttled_frac = 0,
					 .nki_frac = {0.5, 0.5, 1},
					 .worst_collective = 2};
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	assert_int_equal(nx_insights_judge(&facts, findings), 0);
}

static void limits_decide_how_bad_it_is(void **state)
{
	static const struct {
		double throttled_frac;
		unsigned severity;
	} cases[] = {{0.0001, 1}, {0.1, 1}, {0.11, 2}, {0.3, 2}, {0.31, 3}};
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		facts.throttled_frac = cases[i].throttled_frac;
		assert_int_equal(nx_insights_judge(&facts, findings), 1);
		assert_int_equal(findings[0].severity, cases[i].severity);
		assert_string_equal(findings[0].title, "Throttled");
		assert_true(findings[0].value == facts.throttled_frac);
	}
}

static void errors_come_before_all_else(void **state)
{
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	facts.model_flops_frac = 0;
	facts.tensor_active_frac = 0.5;
	facts.throttled_frac = 1;
	facts.error_count = 2;
	assert_int_equal(nx_insights_judge(&facts, findings), 3);
	assert_string_equal(findings[0].title, "The device reported errors");
	assert_true(findings[0].value == 2);
	facts.error_count = 0;
	assert_int_equal(nx_insights_judge(&facts, findings), 2);
}

static void busy_is_half_of_the_time(void **state)
{
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	facts.model_flops_frac = 0.016;
	facts.tensor_active_frac = 0.224;
	assert_int_equal(nx_insights_judge(&facts, findings), 1);
	assert_string_equal(findings[0].title, "The tensor engine gets little done while it works");
	assert_string_equal(
		findings[0].measured,
		"It is active for 22.4 % of the time and does 1.6 % of the model's FLOPS "
		"that it could do in all of it: 7.1 % of what its active time allows.");
	assert_int_equal(findings[0].severity, 1);
	/* it does not matter in a run that something else bounds */
	facts.details[NX_FINDING_FLOPS].is_replayed = true;
	facts.details[NX_FINDING_FLOPS].gain_frac = 0.04;
	assert_int_equal(nx_insights_judge(&facts, findings), 0);
	facts.details[NX_FINDING_FLOPS].gain_frac = 0.06;
	assert_int_equal(nx_insights_judge(&facts, findings), 1);
	facts.tensor_active_frac = 0.5;
	assert_int_equal(nx_insights_judge(&facts, findings), 1);
	assert_string_equal(findings[0].title, "The tensor engine is busy, but not with the model");
	assert_int_equal(findings[0].severity, 3);
	facts.tensor_active_frac = 0.09;
	assert_int_equal(nx_insights_judge(&facts, findings), 0);
}

/* A collective alone: the array is limited at start-up, but has nothing to multiply. */
static void nothing_to_throttle_without_products(void **state)
{
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	facts.throttled_frac = 0.4;
	facts.tensor_active_frac = 0.01;
	assert_int_equal(nx_insights_judge(&facts, findings), 0);
	facts.model_flops_frac = 0.005;
	assert_int_equal(nx_insights_judge(&facts, findings), 1);
	assert_string_equal(findings[0].measured,
			    "Limits on the tensor engine cost 40.0 % of the time.");
}

static void the_largest_gain_comes_first(void **state)
{
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	facts.transpose_frac = 0.5; /* the worst by severity, and no gain is known */
	facts.startup_frac = 0.21;
	facts.details[NX_FINDING_STARTUP].gain_frac = 0.02;
	facts.details[NX_FINDING_STARTUP].is_replayed = true;
	facts.worst_step = 1.5;
	facts.details[NX_FINDING_STEP].gain_frac = 0.3;
	assert_int_equal(nx_insights_judge(&facts, findings), 3);
	assert_int_equal(findings[0].kind, NX_FINDING_STEP);
	assert_int_equal(findings[0].confidence, NX_CONFIDENCE_MEDIUM);
	assert_int_equal(findings[1].kind, NX_FINDING_STARTUP);
	assert_int_equal(findings[1].confidence, NX_CONFIDENCE_HIGH);
	assert_int_equal(findings[2].kind, NX_FINDING_TRANSPOSE);
	assert_int_equal(findings[2].confidence, NX_CONFIDENCE_LOW);
	facts.is_simulated = true;
	nx_insights_judge(&facts, findings);
	assert_int_equal(findings[1].confidence, NX_CONFIDENCE_LOW);
	/* a replay says that it does not matter */
	facts.details[NX_FINDING_STARTUP].gain_frac = 0.009;
	assert_int_equal(nx_insights_judge(&facts, findings), 2);
}

static void without_gains_the_worst_comes_first(void **state)
{
	/* 0.2 of 0.5 is 0.4: severity 1; transposes 3; a small transfer of 300 bytes 2 */
	struct nx_insight_facts facts = nothing();
	struct nx_finding findings[NX_FINDINGS_MAX];

	(void)state;
	facts.model_flops_frac = 0.2;
	facts.tensor_active_frac = 0.5;
	facts.transpose_frac = 0.5;
	facts.dma_average_bytes = 300;
	facts.dma_active_frac = 0.5;
	facts.nki_frac[NX_NKI_SCALAR] = 0;
	assert_int_equal(nx_insights_judge(&facts, findings), 4);
	assert_string_equal(findings[0].title, "Many transposes");
	assert_int_equal(findings[0].severity, 3);
	assert_string_equal(findings[1].title, "Small transfers");
	assert_int_equal(findings[1].severity, 2);
	assert_true(fabs(findings[2].value - 0.4) < 1e-12);
	assert_string_equal(findings[3].title, "Little NKI on the scalar engine");
	assert_int_equal(findings[3].severity, 1);
	/* while queues are idle their transfers may be small */
	facts.dma_active_frac = 0.25;
	assert_int_equal(nx_insights_judge(&facts, findings), 3);
	/* and none at all are not small */
	facts.dma_active_frac = 0.5;
	facts.dma_average_bytes = 0;
	assert_int_equal(nx_insights_judge(&facts, findings), 3);
}

static void all_rules_fit_in_the_list(void **state)
{
	struct nx_insight_facts facts = {.model_flops_frac = 0.01,
					 .tensor_active_frac = 1,
					 .transpose_frac = 1,
					 .spill_reload_frac = 1,
					 .dma_active_frac = 1,
					 .dma_average_bytes = 1,
					 .throttled_frac = 1,
					 .worst_collective = 100,
					 .error_count = 1,
					 .gap_growth = 20,
					 .worst_step = 5,
					 .late_frac = 1,
					 .host_bound_frac = 1,
					 .startup_frac = 1,
					 .reload_frac = 1,
					 .descriptors_frac = 1};
	struct nx_finding findings[NX_FINDINGS_MAX];
	size_t count = nx_insights_judge(&facts, findings);

	(void)state;
	assert_int_equal(count, NX_FINDINGS_MAX);
	for (size_t i = 0; i < count; i++) {
		assert_in_range(findings[i].severity, 1, 3);
		assert_true(strlen(findings[i].cause) > 20 && strlen(findings[i].advice) > 20);
		assert_true(strlen(findings[i].measured) > 10);
	}
}

static void near_stretches_of_one_subject_are_joined(void **state)
{
	static const struct nx_band given[] = {
		{NX_BAND_RELOAD, 100, 110, 1, 1.0, 1},	 {NX_BAND_RELOAD, 0, 10, 1, 2.0, 1},
		{NX_BAND_RELOAD, 15, 20, 1, 4.0, 1},	 {NX_BAND_RELOAD, 12, 14, 2, 8.0, 1},
		{NX_BAND_THROTTLING, 2, 40, 1, 16.0, 1}, {NX_BAND_RELOAD, 16, 17, 1, 32.0, 3},
	};
	struct nx_bands bands = {0};

	(void)state;
	nx_insights_join(&bands, 0, 5);
	assert_int_equal(bands.len, 0);
	nx_vec_push(&bands, ((struct nx_band){NX_BAND_RELOAD, 7, 8, 1, 0, 1}));
	for (size_t i = 0; i < 6; i++)
		nx_vec_push(&bands, given[i]);
	nx_insights_join(&bands, 1, 5);
	assert_int_equal(bands.len, 5);
	assert_int_equal(bands.items[0].start_ns, 7); /* before first, so left alone */
	assert_int_equal(bands.items[1].start_ns, 0);
	assert_int_equal(bands.items[1].end_ns, 20);
	assert_int_equal(bands.items[1].count, 5);
	assert_true(bands.items[1].weight == 38.0);
	assert_int_equal(bands.items[2].kind, NX_BAND_THROTTLING);
	assert_int_equal(bands.items[3].subject, 2);
	assert_int_equal(bands.items[4].start_ns, 100);
	nx_vec_release(&bands);
}

static void parts_with_mostly_small_transfers_become_bands(void **state)
{
	/* few; half; most; most; large ones; most again */
	static const struct nx_dma_part parts[] = {{31, 31}, {40, 20}, {40, 21},
						   {32, 32}, {100, 0}, {1000, 900}};
	struct nx_bands bands = {0};

	(void)state;
	nx_insights_small_dma(parts, 6, 1000, 1060, &bands);
	assert_int_equal(bands.len, 2);
	assert_int_equal(bands.items[0].kind, NX_BAND_SMALL_DMA);
	assert_int_equal(bands.items[0].start_ns, 1020);
	assert_int_equal(bands.items[0].end_ns, 1040);
	assert_int_equal(bands.items[0].count, 53);
	assert_true(bands.items[0].weight == 72.0);
	assert_int_equal(bands.items[1].start_ns, 1050);
	assert_int_equal(bands.items[1].end_ns, 1060);
	nx_vec_release(&bands);
}

static void bands_are_joined_counted_and_explained(void **state)
{
	struct nx_insight_facts facts = nothing();
	struct nx_insight_rows rows = {.from_ns = 0, .to_ns = 20000};
	struct nx_insights insights;
	struct nx_arena arena = {0};

	(void)state;
	facts.throttled_frac = 0.5;
	nx_vec_push(&rows.subjects, ((struct nx_insight_subject){"w", 2.5, 300, -1}));
	/* these two are nearer than a hundredth of the time */
	nx_vec_push(&rows.bands, ((struct nx_band){NX_BAND_RELOAD, 150, 160, 0, 0, 1}));
	nx_vec_push(&rows.bands, ((struct nx_band){NX_BAND_RELOAD, 0, 10, 0, 0, 1}));
	for (unsigned i = 0; i < 201; i++)
		nx_vec_push(&rows.bands, ((struct nx_band){NX_BAND_BARRIER, i, i + 1, 0, 0, 1}));
	rows.dma_parts[2] = (struct nx_dma_part){40, 30};
	nx_insights_conclude(&insights, &facts, &rows);
	assert_int_equal(insights.finding_count, 1);
	assert_int_equal(insights.bands.len, 202);
	assert_int_equal(insights.bands.items[0].kind, NX_BAND_RELOAD);
	assert_int_equal(insights.bands.items[0].end_ns, 160);
	assert_string_equal(nx_insights_detail(&rows, &insights.bands.items[0], &arena),
			    "w is brought into the state buffer 2.5 times, 300 bytes in all; keep "
			    "it there, or use it where it is loaded.");
	assert_int_equal(insights.bands.items[1].kind, NX_BAND_SMALL_DMA);
	assert_int_equal(insights.bands.items[1].start_ns, 200);
	assert_int_equal(strncmp(nx_insights_detail(&rows, &insights.bands.items[1], &arena),
				 "30 of 40 transfers", 18),
			 0);
	assert_int_equal(insights.bands.items[2].kind, NX_BAND_BARRIER);
	assert_int_equal(insights.bands.items[201].end_ns, 200);
	nx_vec_release(&insights.bands);
	nx_vec_release(&rows.bands);
	nx_vec_release(&rows.subjects);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_known_is_not_judged),
		cmocka_unit_test(good_numbers_are_no_findings),
		cmocka_unit_test(limits_decide_how_bad_it_is),
		cmocka_unit_test(errors_come_before_all_else),
		cmocka_unit_test(busy_is_half_of_the_time),
		cmocka_unit_test(nothing_to_throttle_without_products),
		cmocka_unit_test(the_largest_gain_comes_first),
		cmocka_unit_test(without_gains_the_worst_comes_first),
		cmocka_unit_test(all_rules_fit_in_the_list),
		cmocka_unit_test(near_stretches_of_one_subject_are_joined),
		cmocka_unit_test(parts_with_mostly_small_transfers_become_bands),
		cmocka_unit_test(bands_are_joined_counted_and_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
