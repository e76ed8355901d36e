/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"

#include <assert.h>
#include <time.h>

#include "base/map.h"

#define FIRST_MS 50
#define LONGEST_MS 2000

void nx_backoff_init(struct nx_backoff *backoff, uint64_t patience_ms)
{
	struct timespec now = {0};
	uint64_t words[2];

	clock_gettime(CLOCK_MONOTONIC, &now);
	words[0] = (uint64_t)now.tv_nsec;
	words[1] = (uint64_t)(uintptr_t)backoff;
	*backoff = (struct nx_backoff){FIRST_MS, patience_ms, nx_hash_words(words, 2)};
}

uint64_t nx_backoff_next(struct nx_backoff *backoff)
{
	uint64_t half_ms = backoff->next_ms / 2;
	uint64_t wait_ms;

	assert(backoff->next_ms >= FIRST_MS);
	backoff->dice = nx_hash_words(&backoff->dice, 1);
	wait_ms = half_ms + backoff->dice % (half_ms + 1);
	if (wait_ms > backoff->left_ms)
		wait_ms = backoff->left_ms;
	backoff->left_ms -= wait_ms;
	if (backoff->next_ms < LONGEST_MS)
		backoff->next_ms *= 2;
	return wait_ms;
}

bool nx_backoff_wait(struct nx_backoff *backoff)
{
	uint64_t wait_ms = nx_backoff_next(backoff);
	struct timespec left = {.tv_sec = (time_t)(wait_ms / 1000),
				.tv_nsec = (long)(wait_ms % 1000) * 1000000};

	if (!wait_ms)
		return false;
	while (nanosleep(&left, &left))
		;
	return true;
}
