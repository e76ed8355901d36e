/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/html.h"

#include <string.h>

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void put_escaped(struct nx_bytes *page, const char *text)
{
	while (*text) {
		size_t plain = strcspn(text, "&<>\"'");
		const char *entity;

		nx_bytes_append(page, text, plain);
		text += plain;
		entity = entity_of(*text);
		if (entity) {
			nx_bytes_append(page, entity, strlen(entity));
			text++;
		}
	}
}

void nx_html_fill(struct nx_bytes *page, const char *template, const char *const *texts)
{
	while (*template) {
		size_t literal = strcspn(template, "$");

		nx_bytes_append(page, template, literal);
		template += literal;
		if (*template == '$') {
			template ++;
			if (*texts)
				put_escaped(page, *texts++);
		}
	}
}
