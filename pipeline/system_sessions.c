/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions of a run: which one each process is of, by the folder it lies in, when each was
 * recorded, and what was not recorded between them.
 *
 *	<run>/plugins/profile/<session>/...		guide 004, and captures on demand
 *	<run>/<instance>_pid_<pid>/<start in ns>/	programs that profile themselves
 *
 * Processes that profile themselves start their sessions apart. Those that overlap in time are one.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/path.h"
#include "format/process_folder.h"
#include "format/session_file.h"
#include "format/xspace.h"
#include "pipeline/data_quality.h"
#include "pipeline/system_run.h"

/* --- places ------------------------------------------------------------------- */

/* From a real path. The folder is NULL if a program recorded itself there. */
struct place {
	const char *run, *name, *folder;
	const char *entry; /* of the folder, which the path leads through */
};

static bool is_number(const char *text, size_t len)
{
	return len && strspn(text, "0123456789") >= len;
}

static bool find_published(const char *path, struct nx_arena *arena, struct place *place)
{
	const char *at = strstr(path, NX_SESSIONS_FOLDER), *next;
	size_t len;

	/* the last one: a run may lie below another's session */
	while (at && (next = strstr(at + 1, NX_SESSIONS_FOLDER)))
		at = next;
	len = at ? strcspn(at + strlen(NX_SESSIONS_FOLDER), "/") : 0;
	if (!len)
		return false;
	place->run = nx_arena_printf(arena, "%.*s", (int)(at - path), path);
	place->name = nx_arena_printf(arena, "%.*s", (int)len, at + strlen(NX_SESSIONS_FOLDER));
	place->folder = nx_arena_printf(
		arena, "%.*s", (int)((size_t)(at - path) + strlen(NX_SESSIONS_FOLDER) + len), path);
	at += strlen(NX_SESSIONS_FOLDER) + len;
	at += *at == '/';
	place->entry = nx_arena_printf(arena, "%.*s", (int)strcspn(at, "/"), at);
	return true;
}

static bool find_own(const char *path, struct nx_arena *arena, struct place *place)
{
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		size_t len = strcspn(at + 1, "/");
		const char *start = at + 1 + len;
		struct nx_slice instance;
		uint64_t pid;

		if (*start != '/' ||
		    !nx_process_folder_parse(nx_slice_of(at + 1, len), &instance, &pid) ||
		    !is_number(start + 1, strcspn(start + 1, "/")))
			continue;
		*place = (struct place){nx_arena_printf(arena, "%.*s", (int)(at - path), path),
					nx_arena_printf(arena, "%.*s", (int)strcspn(start + 1, "/"),
							start + 1),
					NULL, NULL};
		return true;
	}
	return false;
}

/* Of a process: its folder, or the file it was made for. */
static bool find_place(const char *path, struct nx_arena *arena, struct place *place)
{
	char real[PATH_MAX];

	return realpath(path, real) &&
	       (find_published(real, arena, place) || find_own(real, arena, place));
}

/* --- sessions ------------------------------------------------------------------ */

struct gathered {
	struct nx_system_run *run;
	struct places NX_VEC_BODY(struct place) places; /* parallel to the profile's sessions */
	const char **entries; /* by process: of its session's folder, where it lies; NULL: none */
};

static struct nx_run_session *session_at(struct gathered *g, size_t i)
{
	return &g->run->profile.sessions.items[i];
}

static uint32_t add_session(struct gathered *g, const struct place *place, const char *kind)
{
	struct nx_run_session fresh = {.name = place->name, .kind = kind, .reason = ""};

	nx_vec_push(&g->run->profile.sessions, fresh);
	nx_vec_push(&g->places, *place);
	return (uint32_t)(g->places.len - 1);
}

/* Capture tools name what they save after the address that they called, "host_9012"; programs
 * that record themselves after the host. */
static const char *kind_of_entry(const char *entry)
{
	struct nx_slice name = nx_slice_text(entry), instance;
	enum nx_session_kind kind = NX_SESSION_PROGRAMMATIC;
	const char *port;
	uint64_t pid;

	if (nx_slice_ends(name, NX_XSPACE_SUFFIX))
		name.len -= strlen(NX_XSPACE_SUFFIX);
	port = memrchr(name.data, '_', name.len);
	if (port && !nx_process_folder_parse(name, &instance, &pid) &&
	    is_number(port + 1, (size_t)((const char *)name.data + name.len - (port + 1))))
		kind = NX_SESSION_ON_DEMAND;
	return nx_session_kind_text(kind);
}

static void add_host(struct nx_run_session *session, const char *name)
{
	for (size_t i = 0; i < session->hosts.len; i++)
		if (!strcmp(session->hosts.items[i].name, name))
			return;
	nx_vec_push(&session->hosts,
		    ((struct nx_run_host){
			    name, nx_session_host_state_text(NX_SESSION_HOST_CAPTURED), ""}));
}

static void take_published(struct gathered *g, struct nx_system_process *process,
			   const struct place *place)
{
	uint32_t at = 0;

	while (at < g->places.len && (!g->places.items[at].folder ||
				      strcmp(g->places.items[at].folder, place->folder) != 0))
		at++;
	if (at == g->places.len)
		at = add_session(g, place, kind_of_entry(place->entry));
	process->session = at;
}

/* --- programs that record themselves ---------------------------------------------- */

struct own {
	struct place place;
	uint32_t process;
	uint64_t start_ns, end_ns;
};
struct owns NX_VEC_BODY(struct own);

static int by_start(const void *left, const void *right)
{
	const struct own *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

static bool has_process(const struct gathered *g, uint32_t session, uint32_t process)
{
	const struct nx_system_process *all = g->run->profile.processes;

	for (uint32_t i = 0; i < g->run->profile.process_count; i++)
		if (all[i].session == session && all[i].pid == all[process].pid &&
		    !strcmp(all[i].instance_id, all[process].instance_id))
			return true;
	return false;
}

/* In order of time, so that only the last session of a run can go on. */
static void take_owns(struct gathered *g, struct owns *owns)
{
	struct nx_system_profile *p = &g->run->profile;

	if (owns->len)
		qsort(owns->items, owns->len, sizeof(*owns->items), by_start);
	for (size_t i = 0; i < owns->len; i++) {
		const struct own *own = &owns->items[i];
		uint32_t at = (uint32_t)g->places.len;

		while (at > 0 && (g->places.items[at - 1].folder ||
				  strcmp(g->places.items[at - 1].run, own->place.run) != 0))
			at--;
		if (at > 0 && own->start_ns <= session_at(g, at - 1)->end_ns &&
		    !has_process(g, at - 1, own->process))
			at--;
		else
			at = add_session(g, &own->place,
					 nx_session_kind_text(NX_SESSION_PROGRAMMATIC));
		p->processes[own->process].session = at;
		if (own->end_ns > session_at(g, at)->end_ns)
			session_at(g, at)->end_ns = own->end_ns;
	}
}

/* --- finding ---------------------------------------------------------------------- */

static void gather(struct gathered *g)
{
	struct nx_system_profile *p = &g->run->profile;
	struct owns owns = {0};

	g->entries = NX_NEW_ARRAY(&p->arena, const char *, p->process_count);
	for (uint32_t i = 0; i < p->process_count; i++) {
		struct nx_system_process *process = &p->processes[i];
		struct own own = {.process = i};

		process->session = NX_NO_SESSION;
		if (!find_place(process->folder, &p->arena, &own.place))
			continue;
		g->entries[i] = own.place.entry;
		if (own.place.folder) {
			take_published(g, process, &own.place);
			continue;
		}
		own.start_ns = process->init_ns;
		own.end_ns =
			process->close_ns > process->init_ns ? process->close_ns : process->init_ns;
		nx_vec_push(&owns, own);
	}
	take_owns(g, &owns);
	nx_vec_release(&owns);
	for (uint32_t i = 0; i < p->process_count; i++)
		if (p->processes[i].session != NX_NO_SESSION)
			add_host(session_at(g, p->processes[i].session),
				 p->processes[i].instance_id);
}

/* A clock that is further off than a century was not measured. */
#define MAX_AHEAD_NS (INT64_MAX / 2)

/* All processes of a host have its clock. */
static void align(struct gathered *g, uint32_t session, const struct nx_session_host *host)
{
	const struct nx_system_profile *p = &g->run->profile;

	if (!host->has_clock || host->clock_offset_ns > MAX_AHEAD_NS ||
	    host->clock_offset_ns < -MAX_AHEAD_NS)
		return;
	for (uint32_t i = 0; i < p->process_count; i++)
		for (size_t k = 0; k < host->file_count; k++) {
			struct nx_slice file = nx_slice_text(host->files[k]);

			if (nx_slice_ends(file, "/"))
				file.len--;
			if (p->processes[i].session == session && g->entries[i] &&
			    nx_slice_is(file, g->entries[i]))
				g->run->inputs[i].host_ahead_ns = host->clock_offset_ns;
		}
}

/* What session.json adds: kind, reason, the hosts that failed, and clocks. */
static void describe(struct gathered *g, size_t at)
{
	struct nx_system_profile *p = &g->run->profile;
	struct nx_run_session *session = session_at(g, at);
	struct nx_session_file file;
	struct nx_error err = {0};
	enum nx_status st;

	if (!g->places.items[at].folder)
		return;
	st = nx_session_file_read(g->places.items[at].folder, &p->arena, &file, &err);
	if (st) {
		if (st != NX_NOT_FOUND)
			nx_system_warn(p, NX_WARN_LOSS, "%s", err.message);
		return;
	}
	session->kind = nx_session_kind_text(file.kind);
	session->reason = file.reason ? file.reason : "";
	if (file.host_count)
		nx_vec_clear(&session->hosts);
	for (size_t i = 0; i < file.host_count; i++) {
		const struct nx_session_host *host = &file.hosts[i];
		struct nx_run_host known = {host->address, nx_session_host_state_text(host->state),
					    host->failure ? host->failure : ""};

		nx_vec_push(&session->hosts, known);
		align(g, (uint32_t)at, host);
		if (host->state != NX_SESSION_HOST_CAPTURED)
			nx_system_warn(p, NX_WARN_MISSING, "session %s has nothing of %s%s%s",
				       session->name, host->address, host->failure ? ": " : "",
				       known.failure);
	}
}

/* Sessions of several runs carry the run's name; the run of all is then the directory. */
static void name_runs(struct gathered *g)
{
	struct nx_system_profile *p = &g->run->profile;
	char real[PATH_MAX];
	bool is_one = true;

	for (size_t i = 1; i < g->places.len; i++)
		is_one = is_one && !strcmp(g->places.items[i].run, g->places.items[0].run);
	if (g->places.len && is_one)
		p->run_path = g->places.items[0].run;
	else if (g->places.len && realpath(g->run->options.directory, real))
		p->run_path = nx_arena_copy_text(&p->arena, real);
	for (size_t i = 0; i < g->places.len && !is_one; i++)
		session_at(g, i)->name =
			nx_arena_printf(&p->arena, "%s/%s", nx_path_name(g->places.items[i].run),
					g->places.items[i].name);
}

static bool is_listed(const char *words, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = words; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
		if (strcspn(at, ",") == len && !strncmp(at, name, len))
			return true;
	return false;
}

static enum nx_status check_words(const struct nx_system_run *run, struct nx_error *err)
{
	const char *words = run->options.sessions, *known = "";
	const struct nx_run_sessions *all = &run->profile.sessions;
	struct nx_arena scratch = {0};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < all->len; i++)
		known = nx_arena_printf(&scratch, "%s%s%s", known, i ? ", " : "",
					all->items[i].name);
	for (const char *at = words; !st && *at;) {
		size_t len = strcspn(at, ","), i = 0;

		while (i < all->len && (strlen(all->items[i].name) != len ||
					strncmp(all->items[i].name, at, len) != 0))
			i++;
		if (i == all->len && len)
			st = nx_fail(err, NX_NOT_FOUND,
				     "there is no session '%.*s' in %s; %s%.800s", (int)len, at,
				     run->options.directory,
				     all->len ? "there are: " : "it has no sessions", known);
		at += len + (at[len] == ',');
	}
	nx_arena_release(&scratch);
	return st;
}

enum nx_status nx_system_find_sessions(struct nx_system_run *run, struct nx_error *err)
{
	struct gathered g = {.run = run};
	struct nx_system_profile *p = &run->profile;
	enum nx_status st = NX_OK;

	gather(&g);
	name_runs(&g);
	for (size_t i = 0; i < g.places.len; i++)
		describe(&g, i);
	nx_vec_release(&g.places);
	if (!run->options.sessions)
		return NX_OK;
	st = check_words(run, err);
	for (uint32_t i = 0; !st && i < p->process_count; i++)
		if (p->processes[i].session == NX_NO_SESSION ||
		    !is_listed(run->options.sessions,
			       p->sessions.items[p->processes[i].session].name))
			run->inputs[i].is_kept = false;
	return st;
}

/* --- times ---------------------------------------------------------------------------- */

static void extend(struct nx_run_session *session, uint64_t start_ns, uint64_t end_ns)
{
	if (!session->start_ns || start_ns < session->start_ns)
		session->start_ns = start_ns;
	if (end_ns > session->end_ns)
		session->end_ns = end_ns;
}

/* A snapshot ends what was recorded before; its process may have begun days ago. */
static void measure(struct nx_system_run *run)
{
	struct nx_system_profile *p = &run->profile;

	for (size_t i = 0; i < p->sessions.len; i++)
		p->sessions.items[i].start_ns = p->sessions.items[i].end_ns = 0;
	for (uint32_t i = 0; i < p->process_count; i++) {
		const struct nx_process_input *input = &run->inputs[i];
		struct nx_system_process *process = &p->processes[i];
		struct nx_run_session *session;

		if (process->session == NX_NO_SESSION || !input->is_kept)
			continue;
		session = &p->sessions.items[process->session];
		if (input->last_event_ns)
			extend(session, input->first_event_ns, input->last_event_ns);
		if (strcmp(session->kind, nx_session_kind_text(NX_SESSION_SNAPSHOT)) != 0 &&
		    process->init_ns && process->close_ns > process->init_ns)
			extend(session, process->init_ns, process->close_ns);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct nx_run_session *const *a = left, *const *b = right;

	if ((*a)->start_ns != (*b)->start_ns)
		return (*a)->start_ns < (*b)->start_ns ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

/* Sorts, and drops sessions that were not chosen. */
static void put_in_order(struct nx_system_run *run)
{
	struct nx_system_profile *p = &run->profile;
	const struct nx_run_session **order =
		NX_NEW_ARRAY(&p->arena, const struct nx_run_session *, p->sessions.len + 1);
	struct nx_run_sessions sorted = {0};
	uint32_t *places = NX_NEW_ARRAY(&p->arena, uint32_t, p->sessions.len + 1);

	for (size_t i = 0; i < p->sessions.len; i++)
		order[i] = &p->sessions.items[i];
	if (p->sessions.len)
		qsort(order, p->sessions.len, sizeof(*order), by_time);
	for (size_t i = 0; i < p->sessions.len; i++) {
		places[order[i] - p->sessions.items] = (uint32_t)sorted.len;
		if (!run->options.sessions || is_listed(run->options.sessions, order[i]->name)) {
			nx_vec_push(&sorted, *order[i]);
			continue;
		}
		places[order[i] - p->sessions.items] = NX_NO_SESSION;
		nx_vec_release(&p->sessions.items[order[i] - p->sessions.items].hosts);
	}
	for (uint32_t i = 0; i < p->process_count; i++)
		if (p->processes[i].session != NX_NO_SESSION)
			p->processes[i].session = places[p->processes[i].session];
	nx_vec_release(&p->sessions);
	p->sessions = sorted;
}

void nx_system_time_sessions(struct nx_system_run *run)
{
	struct nx_system_profile *p = &run->profile;
	uint64_t end_ns = 0;

	measure(run);
	put_in_order(run);
	for (size_t i = 0; i < p->sessions.len; i++) {
		struct nx_run_session *session = &p->sessions.items[i];

		if (!session->end_ns)
			continue;
		if (end_ns && session->start_ns > end_ns)
			session->gap_ns = session->start_ns - end_ns;
		else if (end_ns > session->start_ns)
			nx_system_warn(p, NX_WARN_MISMATCH,
				       "session %s begins %.3f s before the one before it ends; "
				       "events in both are counted twice. Choose one of them with "
				       "--sessions.",
				       session->name, (double)(end_ns - session->start_ns) / 1e9);
		if (session->end_ns > end_ns)
			end_ns = session->end_ns;
	}
}

/* Device captures of sessions that were not chosen. */
void nx_system_drop_devices(struct nx_system_run *run)
{
	struct nx_device_captures *all = &run->profile.devices;
	size_t kept = 0;

	for (size_t i = 0; run->options.sessions && i < all->len; i++)
		if (all->items[i].process < run->profile.process_count &&
		    run->inputs[all->items[i].process].is_kept)
			all->items[kept++] = all->items[i];
	if (run->options.sessions)
		all->len = kept;
}

void nx_system_release_sessions(struct nx_system_profile *profile)
{
	for (size_t i = 0; i < profile->sessions.len; i++)
		nx_vec_release(&profile->sessions.items[i].hosts);
	nx_vec_release(&profile->sessions);
}
