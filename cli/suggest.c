/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/suggest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bare/text.h"

struct best {
	const char *word;
	unsigned distance;
};

static void consider(struct best *best, const char *word, size_t word_len, const char *typed,
		     size_t typed_len)
{
	size_t longer = word_len > typed_len ? word_len : typed_len;
	unsigned distance =
		nx_edit_distance(nx_slice_of(word, word_len), nx_slice_of(typed, typed_len));

	/* beyond that a hint misleads more than it helps */
	if (distance > 1 + longer / 4 || distance >= longer)
		return;
	if (!best->word || distance < best->distance)
		*best = (struct best){word, distance};
}

const char *nx_suggest_name(const void *items, size_t count, size_t item_bytes, size_t offset,
			    const char *name)
{
	struct best best = {0};

	assert(offset + sizeof(char *) <= item_bytes);
	for (size_t i = 0; i < count; i++) {
		const char *word;

		memcpy(&word, (const char *)items + i * item_bytes + offset, sizeof(word));
		consider(&best, word, strlen(word), name, strlen(name));
	}
	return best.word;
}

const char *nx_suggest_option(const struct nx_option *options, const char *name, size_t len)
{
	struct best best = {0};

	for (const struct nx_option *o = options; o->name || o->letter; o++)
		if (o->name)
			consider(&best, o->name, strlen(o->name), name, len);
	return best.word;
}

const char *nx_suggest_command(const char *name)
{
	struct best best = {0};

	for (size_t i = 0; i < nx_command_count && !nx_commands[i]->is_program; i++)
		consider(&best, nx_commands[i]->name, strlen(nx_commands[i]->name), name,
			 strlen(name));
	return best.word;
}

static const char *hint(const char *near, size_t len, const char *otherwise, char out[NX_HINT_MAX])
{
	if (!near)
		return otherwise;
	snprintf(out, NX_HINT_MAX, "; did you mean '%.*s'?", (int)(len < 200 ? len : 200), near);
	return out;
}

const char *nx_hint(const char *near, const char *otherwise, char out[NX_HINT_MAX])
{
	return hint(near, near ? strlen(near) : 0, otherwise, out);
}

const char *nx_hint_word(const char *words, const char *word, const char *otherwise,
			 char out[NX_HINT_MAX])
{
	struct best best = {0};

	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");

		consider(&best, w, len, word, strlen(word));
		w += len;
	}
	return hint(best.word, best.word ? strcspn(best.word, " ") : 0, otherwise, out);
}
