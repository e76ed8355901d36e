/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Student's distribution ------------------------------------------------ */

#define TAIL 0.05 /* outside of the interval, both ends together */

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300, enough = 1e-13;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m < 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double change = 1;

		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;

			d = 1 + term * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + term / c;
			c = fabs(c) < tiny ? tiny : c;
			change = c * d;
			result *= change;
		}
		if (fabs(change - 1) < enough)
			break;
	}
	return result;
}

static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	/* the fraction converges fast on one side only */
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The share of the distribution further out than t, at both ends. */
static double outside(double t, double degrees)
{
	return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double nx_student_95(double degrees)
{
	double low = 0, high = 1;

	assert(degrees > 0);
	while (outside(high, degrees) > TAIL && high < 1e9)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (outside(middle, degrees) > TAIL)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* --- samples --------------------------------------------------------------- */

struct one { /* a value and where it comes from */
	const struct nx_measure *measure;
	size_t side;
};

struct ones NX_VEC_BODY(struct one);

static int compare_names(const struct nx_measure *a, const struct nx_measure *b)
{
	return a->section != b->section ? (a->section < b->section ? -1 : 1)
					: strcmp(a->name, b->name);
}

static int compare_ones(const void *a, const void *b)
{
	const struct one *x = a, *y = b;
	int order = compare_names(x->measure, y->measure);

	return order ? order : (x->side > y->side) - (x->side < y->side);
}

/* A capture that lacks a name spent no time on it, if the values of the section add up. */
static void take_samples(struct nx_compared *row, const struct one *ones, size_t count,
			 const struct nx_comparison *c)
{
	bool lacking_is_zero = nx_measure_sections[row->section].adds_up;

	for (size_t i = 0; i < count; i++) {
		struct nx_measure_sample *s = &row->samples[ones[i].side];

		s->count++;
		s->mean += ones[i].measure->value;
	}
	for (size_t side = 0; side < c->side_count; side++) {
		struct nx_measure_sample *s = &row->samples[side];
		size_t lacking = lacking_is_zero && c->sides[side].capture_count > s->count
					 ? c->sides[side].capture_count - s->count
					 : 0;

		s->count += lacking;
		s->mean = s->count ? s->mean / (double)s->count : 0;
		s->variance = (double)lacking * s->mean * s->mean;
	}
	for (size_t i = 0; i < count; i++) {
		struct nx_measure_sample *s = &row->samples[ones[i].side];
		double off = ones[i].measure->value - s->mean;

		s->variance += off * off;
	}
	for (size_t side = 0; side < c->side_count; side++)
		if (row->samples[side].count > 1)
			row->samples[side].variance /= (double)(row->samples[side].count - 1);
}

static struct nx_change change_of(const struct nx_measure_sample *a,
				  const struct nx_measure_sample *b)
{
	struct nx_change change = {.is_known = a->count && b->count};
	double share_a, share_b, half;

	if (!change.is_known)
		return change;
	change.difference = b->mean - a->mean;
	change.has_share = a->mean != 0;
	change.relative = change.has_share ? change.difference / fabs(a->mean) : 0;
	if (a->count < 2 || b->count < 2)
		return change;
	share_a = a->variance / (double)a->count;
	share_b = b->variance / (double)b->count;
	half = sqrt(share_a + share_b);
	if (half > 0)
		half *= nx_student_95((share_a + share_b) * (share_a + share_b) /
				      (share_a * share_a / (double)(a->count - 1) +
				       share_b * share_b / (double)(b->count - 1)));
	change.has_interval = true;
	change.low = change.difference - half;
	change.high = change.difference + half;
	return change;
}

static void add_row(struct nx_comparison *c, const struct one *ones, size_t count)
{
	struct nx_compared row = {.section = ones->measure->section,
				  .name = ones->measure->name,
				  .unit = ones->measure->unit};

	row.samples = NX_NEW_ARRAY(&c->arena, struct nx_measure_sample, c->side_count);
	row.changes = NX_NEW_ARRAY(&c->arena, struct nx_change, c->side_count);
	take_samples(&row, ones, count, c);
	for (size_t side = 1; side < c->side_count; side++)
		row.changes[side] = change_of(&row.samples[0], &row.samples[side]);
	nx_vec_push(&c->rows, row);
}

void nx_compare(struct nx_comparison *c, const struct nx_captures *sides, size_t count)
{
	struct ones all = {0};

	assert(count);
	memset(c, 0, sizeof(*c));
	c->side_count = count;
	c->sides = NX_NEW_ARRAY(&c->arena, struct nx_side, count);
	for (size_t s = 0; s < count; s++) {
		c->sides[s] = (struct nx_side){sides[s].name, sides[s].count};
		for (size_t i = 0; i < sides[s].count; i++)
			for (size_t m = 0; m < sides[s].items[i].items.len; m++)
				nx_vec_push(&all,
					    ((struct one){&sides[s].items[i].items.items[m], s}));
	}
	if (all.len)
		qsort(all.items, all.len, sizeof(*all.items), compare_ones);
	for (size_t from = 0, to; from < all.len; from = to) {
		to = from + 1;
		while (to < all.len &&
		       !compare_names(all.items[from].measure, all.items[to].measure))
			to++;
		add_row(c, &all.items[from], to - from);
	}
	nx_vec_release(&all);
}
