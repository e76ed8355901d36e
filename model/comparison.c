/* SPDX-License-Identifier: Apache-2.0 */
#include "model/comparison.h"

const struct nx_measure_section_info nx_measure_sections[NX_MEASURE_SECTION_COUNT] = {
#define SECTION_INFO(name, word, title, adds) [NX_MEASURE_##name] = {word, title, adds},
	NX_MEASURE_SECTION_MAP(SECTION_INFO)
#undef SECTION_INFO
};

void nx_measures_release(struct nx_measures *measures)
{
	nx_vec_release(&measures->items);
	nx_arena_release(&measures->arena);
}

void nx_comparison_release(struct nx_comparison *comparison)
{
	nx_vec_release(&comparison->rows);
	nx_arena_release(&comparison->arena);
}
