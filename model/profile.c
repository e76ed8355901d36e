/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bare/text.h"
#include "base/sha1.h"

enum nx_status nx_profile_scan(const struct nx_profile *profile, enum nx_table table, nx_row_fn fn,
			       void *context, struct nx_error *err)
{
	assert(table < NX_TABLE_COUNT && fn);
	return profile->source.scan(profile->source.context, table, fn, context, err);
}

uint32_t nx_profile_find_transfer(const struct nx_profile *profile, const struct nx_packet *packet)
{
	return profile->source.find_transfer(profile->source.context, packet);
}

void nx_warnings_add(struct nx_warnings *warnings, struct nx_arena *arena, const char *category,
		     const char *fmt, va_list args)
{
	struct nx_warning w = {.category = category};
	char text[1024];

	assert(category && *category);
	vsnprintf(text, sizeof(text), fmt, args);
	w.message = nx_arena_copy_text(arena, text);
	nx_vec_push(warnings, w);
}

void nx_profile_warn(struct nx_profile *profile, const char *category, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nx_warnings_add(&profile->warnings, &profile->arena, category, fmt, args);
	va_end(args);
}

uint64_t nx_profile_row_count(const struct nx_profile *profile)
{
	uint64_t rows = 0;

	for (uint32_t g = 0; g < profile->capture.graph_count; g++) {
		rows += profile->graphs[g].packet_count + profile->graphs[g].event_count;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			rows += profile->graphs[g].instruction_count[e];
	}
	return rows;
}

void nx_profile_key(const struct nx_profile *profile, char key[NX_PROFILE_KEY_MAX])
{
	const struct nx_capture *c = &profile->capture;
	struct nx_bytes identity = {0};
	uint8_t digest[NX_SHA1_BYTES];
	char digits[2 * sizeof(digest)];

	nx_bytes_append(&identity, c->uuid.data, c->uuid.len);
	nx_bytes_append(&identity, &c->window_start_ps, sizeof(c->window_start_ps));
	nx_bytes_append(&identity, &c->total_time_ps, sizeof(c->total_time_ps));
	nx_bytes_append(&identity, profile->name, strlen(profile->name));
	nx_sha1_digest(nx_slice_of(identity.items, identity.len), digest);
	nx_hex_encode(digits, nx_slice_of(digest, sizeof(digest)));
	snprintf(key, NX_PROFILE_KEY_MAX, "n_%.*s", (int)sizeof(digits), digits);
	nx_vec_release(&identity);
}
