/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/insights.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_DMA_LEAST 32u
#define BANDS_MAX 200u
/* Bands nearer than this part of the profile's time are joined. */
#define GAP_PART 100u

/* --- findings ------------------------------------------------------------------ */

/* A replay that wins less says that the fact does not matter in this run. */
#define GAIN_LEAST 0.01

struct rule {
	enum nx_finding_kind kind;
	size_t fact;	   /* where in the facts the number is */
	bool is_floor;	   /* bad below the limit instead of above */
	double limit;	   /* severity 1 */
	double worse, bad; /* from where on it is 2 and 3 */
	const char *title;
	const char *measured; /* with room for the number, a fraction as percent */
	const char *cause, *advice, *unit;
};

#define FACT(name) offsetof(struct nx_insight_facts, name)
#define NKI_CAUSE "The compiler chose the instructions of the other operators."
#define NKI_ADVICE "Write the operators that take most of its time as NKI kernels."
#define NKI_MEASURED "%.1f %% of this engine's instruction time comes from NKI kernels."

/* clang-format off */
static const struct rule rules[] = {
	{NX_FINDING_THROTTLED, FACT(throttled_frac), false, 0, 0.1, 0.3, "Throttled",
	 "Limits on the tensor engine cost %.1f %% of the time.",
	 "The array may not work in every cycle, to keep within its power, also after a pause.",
	 "Keep the array busy without pauses, spread dense matrix products over time, or use a "
	 "smaller data type; the limits that the device reported are marked in the timeline.",
	 "fraction"},
	{NX_FINDING_SPILL, FACT(spill_reload_frac), false, 0.25, 0.4, 0.6,
	 "Spilled data is read back",
	 "%.1f %% of what is read from HBM had been written there before.",
	 "SBUF was full, so that intermediates had to leave it and come back.",
	 "Use smaller tiles or batches, or reorder operators so that less is alive at once.",
	 "fraction"},
	{NX_FINDING_RELOAD, FACT(reload_frac), false, 0.05, 0.15, 0.3,
	 "Data that was in SBUF is loaded again",
	 "%.1f %% of the critical path is transfers of data that SBUF had before.",
	 "SBUF was full and data had to leave it (a spill), or a tile is loaded for each use.",
	 "Keep what is used again in SBUF: smaller tiles, another order of loops, or less that is "
	 "alive at once; the panel Tensors lists how often each is loaded.", "fraction"},
	{NX_FINDING_TRANSPOSE, FACT(transpose_frac), false, 0.1, 0.2, 0.4, "Many transposes",
	 "%.1f %% of the tensor engine's FLOPs are transposes.",
	 "Data is in another layout than the products need.",
	 "Choose layouts of weights and inputs that fit the products they go into.", "fraction"},
	{NX_FINDING_STARTUP, FACT(startup_frac), false, 0.2, 0.3, 0.5,
	 "The run waits for transfers to start",
	 "%.1f %% of the critical path is start-up of DMA: from a trigger to its first packet.",
	 "Transfers are triggered when their data is already needed.",
	 "Trigger transfers earlier, while engines still work on the tile before (double "
	 "buffering), or join several into one.", "fraction"},
	{NX_FINDING_DESCRIPTORS, FACT(descriptors_frac), false, 0.1, 0.2, 0.4,
	 "The run waits for DMA descriptors",
	 "%.1f %% of the critical path is GpSimd making descriptors in software.",
	 "Addresses of these transfers are computed while the program runs.",
	 "Use static transfers or descriptors made by hardware (DGE), or trigger them earlier.",
	 "fraction"},
	{NX_FINDING_COLLECTIVE, FACT(worst_collective), false, 2, 4, 10,
	 "A collective took much longer than its like",
	 "The longest took %.1f times the median of its kind, size and group.",
	 "Usually one rank came late, and the others waited for it inside the collective.",
	 "Look at what the late ranks did before; bands mark the collectives.", "times"},
	{NX_FINDING_GAPS, FACT(gap_growth), false, 2, 4, 10, "Gaps between executions grow",
	 "At the end, a core waits %.1f times as long for its next execution as at the beginning.",
	 "The host needs longer and longer between executions.",
	 "Look at what the host does in the gaps: the panel Steps lists them by core, and the "
	 "timeline has a row for their length. Lists that grow, logging and garbage collection are "
	 "common causes.", "times"},
	{NX_FINDING_LATE, FACT(late_frac), false, 0.05, 0.1, 0.3, "A process is late in its steps",
	 "It launches the first execution of a step %.1f %% of the step's time after the others.",
	 "The others wait for it in collectives.",
	 "Look at what it does before: the panel Steps, By process, names it.", "fraction"},
	{NX_FINDING_STEP, FACT(worst_step), false, 1, 2, 4,
	 "Some steps take much longer than others",
	 "The slowest took %.1f times the median of such steps.",
	 "Beyond the median by more than 3.5 median absolute deviations and a tenth of it.",
	 "The panel Steps marks them; click one to see what it waited for.", "times"},
	{NX_FINDING_HOST, FACT(host_bound_frac), false, 0.3, 0.5, 0.8,
	 "Steps wait for the program",
	 "For %.1f %% of the steps' time no core runs and no call of the runtime is open.",
	 "The program itself is busy, such as with its data.",
	 "Load data in the background, move work off the path between executions, or run "
	 "executions ahead.", "fraction"},
	{NX_FINDING_SMALL_DMA, FACT(dma_average_bytes), true, 4096, NX_SMALL_DMA_BYTES, 128,
	 "Small transfers", "A DMA transfer moves %.0f bytes on average.",
	 "Their fixed cost outweighs the data.",
	 "Join or widen transfers to 4 KiB and more.", "bytes"},
	{NX_FINDING_NKI_TENSOR, FACT(nki_frac[NX_NKI_TENSOR]), true, 0.5, -1, -1,
	 "Little NKI on the tensor engine", NKI_MEASURED, NKI_CAUSE, NKI_ADVICE, "fraction"},
	{NX_FINDING_NKI_VECTOR, FACT(nki_frac[NX_NKI_VECTOR]), true, 0.5, -1, -1,
	 "Little NKI on the vector engine", NKI_MEASURED, NKI_CAUSE, NKI_ADVICE, "fraction"},
	{NX_FINDING_NKI_SCALAR, FACT(nki_frac[NX_NKI_SCALAR]), true, 0.5, -1, -1,
	 "Little NKI on the scalar engine", NKI_MEASURED, NKI_CAUSE, NKI_ADVICE, "fraction"},
};
/* clang-format on */

static unsigned severity_of(const struct rule *rule, double value)
{
	double sign = rule->is_floor ? -1 : 1;

	if (isnan(value) || sign * value <= sign * rule->limit)
		return 0;
	if (sign * value > sign * rule->bad)
		return 3;
	return sign * value > sign * rule->worse ? 2 : 1;
}

/* Before all else: what follows an error may not be what the program does. */
static unsigned judge_errors(const struct nx_insight_facts *facts, struct nx_finding *finding)
{
	if (isnan(facts->error_count) || facts->error_count <= 0)
		return 0;
	*finding = (struct nx_finding){
		.kind = NX_FINDING_ERRORS,
		.severity = 3,
		.title = "The device reported errors",
		.cause = "An instruction or a transfer failed; results and times after it may be "
			 "wrong.",
		.advice = "Click the first mark of the timeline's row Errors: its details name the "
			  "engine and the instruction.",
		.value = facts->error_count,
		.unit = "errors",
	};
	snprintf(finding->measured, sizeof(finding->measured), "%.0f error%s recorded.",
		 facts->error_count, facts->error_count == 1 ? " is" : "s are");
	return finding->severity;
}

#define BUSY_FRAC 0.5	      /* of the time: less is not busy */
#define IDLE_FRAC 0.1	      /* of the time: what is less used does not matter */
#define FLOPS_GAIN_LEAST 0.05 /* of an engine that is not busy */

/* Two numbers decide: time the engine was busy, and what came of it. */
static unsigned judge_flops(const struct nx_insight_facts *facts, struct nx_finding *finding)
{
	double active = facts->tensor_active_frac, frac = facts->model_flops_frac / active;
	const struct nx_fact_detail *detail = &facts->details[NX_FINDING_FLOPS];
	bool is_busy = active >= BUSY_FRAC;

	if (!is_busy && detail->is_replayed && detail->gain_frac < FLOPS_GAIN_LEAST)
		return 0;
	if (isnan(frac) || active < IDLE_FRAC || frac >= 0.5)
		return 0;
	*finding = (struct nx_finding){
		.kind = NX_FINDING_FLOPS,
		.severity = !is_busy	  ? 1
			    : frac < 0.1  ? 3
			    : frac < 0.25 ? 2
					  : 1,
		.title = is_busy ? "The tensor engine is busy, but not with the model"
				 : "The tensor engine gets little done while it works",
		.cause = "Products are too small for the array, wait for their weights, or are not "
			 "the model's own.",
		.advice = is_busy ? "Use larger tiles, fill all rows and columns of the array, and "
				    "avoid transposes and repeated loads of weights."
				  : "See first what it waits for ('neuron-explorer why'); then use "
				    "larger tiles and fill all rows and columns of the array.",
		.value = frac,
		.unit = "fraction",
	};
	snprintf(finding->measured, sizeof(finding->measured),
		 "It is active for %.1f %% of the time and does %.1f %% of the model's FLOPS that "
		 "it could do in all of it: %.1f %% of what its active time allows.",
		 100 * active, 100 * facts->model_flops_frac, 100 * frac);
	return finding->severity;
}

#define DMA_ACTIVE_LEAST 0.25
#define DMA_GAIN_LEAST 0.1

static bool is_asked(const struct rule *rule, const struct nx_insight_facts *facts)
{
	/* an engine without a product has nothing to throttle */
	if (rule->kind == NX_FINDING_THROTTLED)
		return isnan(facts->tensor_active_frac) || !isnan(facts->model_flops_frac);
	/* small transfers cost nothing while the queues are idle and nobody waits; 0 is none */
	return rule->kind != NX_FINDING_SMALL_DMA ||
	       (facts->dma_average_bytes > 0 &&
		(facts->dma_active_frac > DMA_ACTIVE_LEAST ||
		 facts->details[rule->kind].gain_frac > DMA_GAIN_LEAST));
}

static double fact_of(const struct nx_insight_facts *facts, size_t fact)
{
	return *(const double *)(const void *)((const char *)facts + fact);
}

static unsigned judge_rule(const struct rule *rule, const struct nx_insight_facts *facts,
			   struct nx_finding *finding)
{
	double value = fact_of(facts, rule->fact);
	unsigned severity = severity_of(rule, value);

	if (!severity || !is_asked(rule, facts))
		return 0;
	*finding = (struct nx_finding){.kind = rule->kind,
				       .severity = severity,
				       .title = rule->title,
				       .cause = rule->cause,
				       .advice = rule->advice,
				       .value = value,
				       .unit = rule->unit};
	/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): from the table above */
	snprintf(finding->measured, sizeof(finding->measured), rule->measured,
		 strcmp(rule->unit, "fraction") ? value : 100 * value);
	return severity;
}

static enum nx_confidence confidence_of(const struct nx_insight_facts *facts,
					const struct nx_fact_detail *detail)
{
	if (isnan(detail->gain_frac) || facts->is_simulated)
		return NX_CONFIDENCE_LOW;
	return detail->is_replayed ? NX_CONFIDENCE_HIGH : NX_CONFIDENCE_MEDIUM;
}

/* Errors first, then the largest gain; what has no known gain comes last, the worst of it first. */
static bool is_before(const struct nx_finding *left, const struct nx_finding *right)
{
	double l = left->detail->gain_frac, r = right->detail->gain_frac;

	if (left->kind == NX_FINDING_ERRORS || right->kind == NX_FINDING_ERRORS)
		return left->kind == NX_FINDING_ERRORS;
	if (isnan(l) != isnan(r))
		return isnan(r);
	if (!isnan(l) && l != r)
		return l > r;
	return left->severity > right->severity;
}

/* By insertion, which keeps the order of equals. Returns how many there are then. */
static size_t add_finding(struct nx_finding *findings, size_t count,
			  const struct nx_insight_facts *facts, struct nx_finding *added)
{
	size_t at = count;

	added->detail = &facts->details[added->kind];
	added->confidence = confidence_of(facts, added->detail);
	if (added->detail->is_replayed && added->detail->gain_frac < GAIN_LEAST)
		return count;
	for (; at && is_before(added, &findings[at - 1]); at--)
		findings[at] = findings[at - 1];
	findings[at] = *added;
	return count + 1;
}

size_t nx_insights_judge(const struct nx_insight_facts *facts,
			 struct nx_finding findings[NX_FINDINGS_MAX])
{
	struct nx_finding found;
	size_t count = 0;

	if (judge_errors(facts, &found))
		count = add_finding(findings, count, facts, &found);
	if (judge_flops(facts, &found))
		count = add_finding(findings, count, facts, &found);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (judge_rule(&rules[i], facts, &found))
			count = add_finding(findings, count, facts, &found);
	return count;
}

/* --- bands --------------------------------------------------------------------- */

static int compare_bands(const void *left, const void *right)
{
	const struct nx_band *l = left, *r = right;

	if (l->kind != r->kind)
		return l->kind < r->kind ? -1 : 1;
	if (l->subject != r->subject)
		return l->subject < r->subject ? -1 : 1;
	if (l->start_ns != r->start_ns)
		return l->start_ns < r->start_ns ? -1 : 1;
	return (l->end_ns > r->end_ns) - (l->end_ns < r->end_ns);
}

static int compare_times(const void *left, const void *right)
{
	const struct nx_band *l = left, *r = right;

	if (l->start_ns != r->start_ns)
		return l->start_ns < r->start_ns ? -1 : 1;
	return compare_bands(left, right);
}

static bool is_near(const struct nx_band *before, const struct nx_band *next, uint64_t gap_ns)
{
	return before->kind == next->kind && before->subject == next->subject &&
	       (next->start_ns <= before->end_ns || next->start_ns - before->end_ns <= gap_ns);
}

void nx_insights_join(struct nx_bands *bands, size_t first, uint64_t gap_ns)
{
	size_t count = bands->len - first, kept = 0;
	struct nx_band *items = bands->items + first;

	if (!count)
		return;
	qsort(items, count, sizeof(*items), compare_bands);
	for (size_t i = 1; i < count; i++) {
		if (!is_near(&items[kept], &items[i], gap_ns)) {
			items[++kept] = items[i];
			continue;
		}
		if (items[i].end_ns > items[kept].end_ns)
			items[kept].end_ns = items[i].end_ns;
		items[kept].weight += items[i].weight;
		items[kept].count += items[i].count;
	}
	bands->len = first + kept + 1;
	qsort(items, kept + 1, sizeof(*items), compare_times);
}

static uint64_t edge_ns(uint64_t from_ns, uint64_t to_ns, size_t part, size_t part_count)
{
	return from_ns + (uint64_t)((__uint128_t)(to_ns - from_ns) * part / part_count);
}

void nx_insights_small_dma(const struct nx_dma_part *parts, size_t part_count, uint64_t from_ns,
			   uint64_t to_ns, struct nx_bands *bands)
{
	size_t first = bands->len;

	for (size_t i = 0; i < part_count; i++) {
		struct nx_band band = {
			.kind = NX_BAND_SMALL_DMA,
			.start_ns = edge_ns(from_ns, to_ns, i, part_count),
			.end_ns = edge_ns(from_ns, to_ns, i + 1, part_count),
			.count = parts[i].small_count,
			.weight = (double)parts[i].count,
		};

		if (parts[i].count >= SMALL_DMA_LEAST && parts[i].small_count * 2 > parts[i].count)
			nx_vec_push(bands, band);
	}
	nx_insights_join(bands, first, 0);
}

/* --- conclusions --------------------------------------------------------------- */

const struct nx_band_text nx_band_texts[NX_BAND_KIND_COUNT] = {
	[NX_BAND_THROTTLING] = {"throttling", "Throttled", true},
	[NX_BAND_SMALL_DMA] = {"small_dma", "Small DMA transfers", false},
	[NX_BAND_RELOAD] = {"reload", "Loaded again and again", true},
	[NX_BAND_BARRIER] = {"barrier", "Barrier", false},
	[NX_BAND_COLLECTIVE] = {"collective", "Collective", false},
};

const char *nx_insights_detail(const struct nx_insight_rows *rows, const struct nx_band *band,
			       struct nx_arena *arena)
{
	static const struct nx_insight_subject nothing = {.name = ""};
	double length_ns = (double)(band->end_ns - band->start_ns);
	const struct nx_insight_subject *s = &nothing;

	if (band->kind != NX_BAND_SMALL_DMA) {
		assert(band->subject < rows->subjects.len);
		s = &rows->subjects.items[band->subject];
	}
	switch (band->kind) {
	case NX_BAND_THROTTLING:
		return nx_arena_printf(arena, "%s took %.0f %% of the tensor engine's cycles here.",
				       s->name, length_ns > 0 ? 100 * band->weight / length_ns : 0);
	case NX_BAND_SMALL_DMA:
		return nx_arena_printf(arena,
				       "%llu of %.0f transfers move less than %d bytes each; they "
				       "hold up HBM, so times of instructions here tell little. "
				       "Join them into larger ones.",
				       (unsigned long long)band->count, band->weight,
				       NX_SMALL_DMA_BYTES);
	case NX_BAND_RELOAD:
		return nx_arena_printf(arena,
				       "%s is brought into the state buffer %.1f times, %llu bytes "
				       "in all; keep it there, or use it where it is loaded.",
				       s->name, s->factor, (unsigned long long)s->bytes);
	case NX_BAND_BARRIER:
		return "The cores wait for each other.";
	case NX_BAND_COLLECTIVE:
		return nx_arena_printf(arena, "%s of %llu bytes.", s->name,
				       (unsigned long long)s->bytes);
	case NX_BAND_KIND_COUNT:
		break;
	}
	return "";
}

static void add_stored(struct nx_bands *bands, const struct nx_bands *stored, bool is_joined)
{
	for (size_t i = 0; i < stored->len; i++)
		if (nx_band_texts[stored->items[i].kind].is_joined == is_joined)
			nx_vec_push(bands, stored->items[i]);
}

void nx_insights_conclude(struct nx_insights *insights, const struct nx_insight_facts *facts,
			  const struct nx_insight_rows *rows)
{
	size_t counts[NX_BAND_KIND_COUNT] = {0}, kept = 0;
	struct nx_bands *bands = &insights->bands;

	assert(rows->from_ns <= rows->to_ns);
	*insights = (struct nx_insights){0};
	insights->finding_count = nx_insights_judge(facts, insights->findings);
	add_stored(bands, &rows->bands, true);
	nx_insights_join(bands, 0, (rows->to_ns - rows->from_ns) / GAP_PART);
	nx_insights_small_dma(rows->dma_parts, NX_INSIGHT_DMA_PARTS, rows->from_ns, rows->to_ns,
			      bands);
	add_stored(bands, &rows->bands, false);
	for (size_t i = 0; i < bands->len; i++)
		if (counts[bands->items[i].kind]++ < BANDS_MAX)
			bands->items[kept++] = bands->items[i];
	bands->len = kept;
}
