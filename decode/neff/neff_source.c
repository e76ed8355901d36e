/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/neff/neff_source.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#define MAX_USES 8
#define MAX_NOTES 256

void nx_neff_source_init(struct nx_neff_source *source, const struct nx_neff *neff,
			 const struct nx_neff_options *options, struct nx_arena *arena)
{
	assert(neff && arena);
	*source = (struct nx_neff_source){.neff = neff, .arena = arena, .pool = {.arena = arena}};
	if (options)
		source->options = *options;
	source->uses = nx_heap_alloc(neff->member_count + 1);
	memset(source->uses, 0, neff->member_count + 1);
	for (size_t i = 0; i < neff->problem_count; i++)
		nx_vec_push(&source->missing,
			    ((struct nx_property){neff->problems[i].path, neff->problems[i].text}));
}

void nx_neff_source_release(struct nx_neff_source *source)
{
	nx_heap_free(source->uses);
	nx_text_pool_release(&source->pool);
	nx_vec_release(&source->missing);
}

void nx_neff_source_finish(struct nx_neff_source *source, struct nx_binary *out)
{
	if (source->unlisted_count) {
		const char *text =
			nx_arena_printf(source->arena, "%zu more parts are missing or damaged",
					source->unlisted_count);

		nx_vec_push(&source->missing, ((struct nx_property){"others", text}));
		source->unlisted_count = 0;
	}
	out->missing_count = source->missing.len;
	out->missing = NX_COPY_ARRAY(source->arena, source->missing.items, source->missing.len);
}

void nx_neff_source_note(struct nx_neff_source *source, const char *member, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (source->missing.len >= MAX_NOTES) {
		source->unlisted_count++;
		return;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	nx_vec_push(&source->missing,
		    ((struct nx_property){nx_arena_copy_text(source->arena, member),
					  nx_arena_copy_text(source->arena, text)}));
}

bool nx_neff_source_take(struct nx_neff_source *source, const char *member, const char *cost,
			 struct nx_slice *bytes)
{
	const struct nx_neff_member *found = nx_neff_find(source->neff, nx_slice_text(member));
	uint8_t *uses;

	assert(bytes);
	if (!found) {
		if (cost)
			nx_neff_source_note(source, member, "is missing from the NEFF; %s", cost);
		return false;
	}
	uses = &source->uses[found - source->neff->members];
	if (*uses == MAX_USES) {
		nx_neff_source_note(source, member, "is named more than %d times; ignored",
				    MAX_USES);
		return false;
	}
	++*uses;
	*bytes = found->bytes;
	return true;
}

const struct nx_json *nx_neff_source_json(struct nx_neff_source *source, const char *member,
					  const char *cost, struct nx_arena *scratch)
{
	struct nx_slice bytes;
	struct nx_json *root;
	struct nx_error why;

	if (!nx_neff_source_take(source, member, cost, &bytes))
		return NULL;
	if (nx_json_parse(bytes, scratch, &root, &why) == NX_OK)
		return root;
	nx_neff_source_note(source, member, "is damaged (%.200s); %s", why.message,
			    cost ? cost : "ignored");
	return NULL;
}

const char *nx_neff_source_intern(struct nx_neff_source *source, struct nx_slice text)
{
	return nx_text_pool_copy(&source->pool, text);
}

const char **nx_neff_source_texts(struct nx_neff_source *source, const struct nx_slice *texts,
				  size_t count)
{
	const char **copies = NX_NEW_ARRAY(source->arena, const char *, count);

	for (size_t i = 0; i < count; i++)
		copies[i] = nx_neff_source_intern(source, texts[i]);
	return copies;
}

const char *nx_neff_source_text(struct nx_neff_source *source, const struct nx_json *value)
{
	return value && value->kind == NX_JSON_TEXT ? nx_neff_source_intern(source, value->text)
						    : "";
}

uint32_t nx_neff_u32(const struct nx_json *value, uint32_t fallback)
{
	uint64_t number = nx_json_as_u64(value, fallback);

	return number <= UINT32_MAX ? (uint32_t)number : fallback;
}

bool nx_neff_parse_u32(struct nx_slice digits, uint32_t *value)
{
	uint64_t number;

	if (!nx_slice_to_u64(digits, &number) || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}
