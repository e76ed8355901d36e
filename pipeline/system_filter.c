/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/system_run.h"

static struct nx_filter_words split(const char *list, struct nx_arena *arena)
{
	struct nx_filter_words w = {0};
	size_t max = 1;
	char *word, *rest;

	if (!list || !*list)
		return w;
	for (const char *c = list; *c; c++)
		max += *c == ',';
	w.words = NX_NEW_ARRAY(arena, const char *, max);
	rest = nx_arena_copy_text(arena, list);
	while ((word = strsep(&rest, ","))) {
		word += strspn(word, " ");
		for (char *end = word + strlen(word); end > word && end[-1] == ' ';)
			*--end = 0;
		if (*word)
			w.words[w.count++] = word;
	}
	return w;
}

static enum nx_status check_cores(const struct nx_filter_words *cores, struct nx_error *err)
{
	for (size_t i = 0; i < cores->count; i++) {
		char *end;

		strtoul(cores->words[i], &end, 10);
		if (*end || cores->words[i][0] < '0' || cores->words[i][0] > '9')
			return nx_fail(err, NX_USAGE,
				       "'%s' is not a NeuronCore; give numbers such as "
				       "--system-trace-filter-neuron-core \"0,1\"",
				       cores->words[i]);
	}
	return NX_OK;
}

enum nx_status nx_system_filter_init(struct nx_system_filter *f,
				     const struct nx_system_filter_options *options,
				     struct nx_arena *arena, struct nx_error *err)
{
	memset(f, 0, sizeof(*f));
	f->cores = split(options->cores, arena);
	f->types = split(options->event_types, arena);
	f->instances = split(options->instances, arena);
	for (size_t i = 0; i < f->types.count; i++)
		f->has_positive_type |= f->types.words[i][0] != '^';
	f->core_matched = NX_NEW_ARRAY(arena, bool, f->cores.count);
	f->type_matched = NX_NEW_ARRAY(arena, bool, f->types.count);
	f->instance_matched = NX_NEW_ARRAY(arena, bool, f->instances.count);
	return check_cores(&f->cores, err);
}

bool nx_system_filter_keeps_process(struct nx_system_filter *f,
				    const struct nx_system_process *process)
{
	bool keeps = !f->instances.count;

	for (size_t i = 0; i < f->instances.count; i++)
		if (!strcmp(f->instances.words[i], process->instance_id))
			keeps = f->instance_matched[i] = true;
	return keeps;
}

/* Guides of different years call the same events by different names. */
static const char *current_name(const char *word)
{
	static const struct {
		const char *old, *now;
	} names[] = {
		{"model_load", "nrt_load"},	    {"runtime_execute", "nrt_execute"},
		{"tensor_read", "nrt_tensor_read"}, {"tensor_write", "nrt_tensor_write"},
		{"cc_exec", "cc_running"},	    {"device_exec", "nc_exec_running"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(word, names[i].old))
			return names[i].now;
	return word;
}

static bool type_matches(const char *word, const struct nx_system_event *event, const char *name)
{
	if (!strcmp(word, "hardware"))
		return event->source == NX_SOURCE_HARDWARE;
	if (!strcmp(word, "software"))
		return event->source != NX_SOURCE_HARDWARE;
	return !strcmp(word, name) || !strcmp(current_name(word), name);
}

static bool keeps_type(struct nx_system_filter *f, const struct nx_system_event *event,
		       const char *name)
{
	bool keeps = !f->has_positive_type, left_out = false;

	for (size_t i = 0; i < f->types.count; i++) {
		bool negated = f->types.words[i][0] == '^';

		if (!type_matches(f->types.words[i] + negated, event, name))
			continue;
		f->type_matched[i] = true;
		keeps |= !negated;
		left_out |= negated;
	}
	return keeps && !left_out;
}

bool nx_system_filter_keeps(struct nx_system_filter *f, const struct nx_system_event *event,
			    const char *event_name)
{
	bool keeps_core = !f->cores.count;

	assert(event_name);
	for (size_t i = 0; i < f->cores.count; i++)
		if (strtol(f->cores.words[i], NULL, 10) == event->nc_idx)
			keeps_core = f->core_matched[i] = true;
	return keeps_type(f, event, event_name) && keeps_core; /* both mark what matched */
}

/* --- possible values, for the message --------------------------------------- */

struct list {
	char text[700];
	size_t len;
};

static bool has(const struct list *l, const char *word, size_t len)
{
	for (const char *at = l->text; (at = strstr(at, word)); at++)
		if ((at == l->text || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

static void add(struct list *l, const char *word)
{
	size_t n = strlen(word);

	if (l->len + n + 8 >= sizeof(l->text) || has(l, word, n))
		return;
	l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s%s",
				   l->len ? ", " : "", word);
}

static const char *first_unmatched(const struct nx_filter_words *w, const bool *matched)
{
	for (size_t i = 0; i < w->count; i++)
		if (!matched[i])
			return w->words[i];
	return NULL;
}

static void list_cores(const struct nx_system_process *process, struct list *l)
{
	char number[16];

	for (size_t i = 0; i < process->worker_count; i++) {
		snprintf(number, sizeof(number), "%d", process->workers[i].nc_idx);
		add(l, number);
	}
}

static void list_types(const struct nx_system_process *process, struct list *l)
{
	for (size_t i = 0; i < process->name_count; i++)
		if (!process->name_is_used || i >= process->recorded_name_count ||
		    process->name_is_used[i])
			add(l, process->names[i]);
}

enum nx_status nx_system_filter_check(const struct nx_system_filter *f,
				      const struct nx_system_profile *p, struct nx_error *err)
{
	const char *word = first_unmatched(&f->instances, f->instance_matched);
	struct list there = {{0}, 0};

	if (word) {
		for (uint32_t i = 0; i < p->process_count; i++)
			add(&there, p->processes[i].instance_id);
		return nx_fail(err, NX_NOT_FOUND, "no instance is called '%s'; there are: %s", word,
			       there.text);
	}
	word = first_unmatched(&f->cores, f->core_matched);
	if (word) {
		for (uint32_t i = 0; i < p->process_count; i++)
			list_cores(&p->processes[i], &there);
		return nx_fail(err, NX_NOT_FOUND, "NeuronCore %s has no events; there are: %s",
			       word, there.text);
	}
	word = first_unmatched(&f->types, f->type_matched);
	if (word) {
		for (uint32_t i = 0; i < p->process_count; i++)
			list_types(&p->processes[i], &there);
		return nx_fail(err, NX_NOT_FOUND,
			       "no event is of type '%s'; there are: hardware, software, %s",
			       word + (*word == '^'), there.text);
	}
	return NX_OK;
}
