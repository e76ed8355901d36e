/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)
#define MAX_NAME 253u /* of DNS */

/* --- names --------------------------------------------------------------------------------- */

static bool may_be_in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr(".-_:%[]", c));
}

/* A name must not look like an option to mpirun or srun. */
static enum nx_status add_name(struct nx_nccom_hosts *hosts, struct nx_slice name,
			       struct nx_arena *arena, struct nx_error *err)
{
	bool is_good = name.data && name.len && name.len <= MAX_NAME && name.data[0] != '-';

	for (size_t i = 0; i < name.len && is_good; i++)
		is_good = may_be_in_name((char)name.data[i]);
	if (!is_good)
		return nx_fail(err, NX_USAGE, "'%.*s' is not a host name",
			       (int)(name.len < 60 ? name.len : 60), (const char *)name.data);
	if (hosts->len == NX_NCCOM_MAX_HOSTS)
		return nx_fail(err, NX_LIMIT, "there are more than %u machines",
			       NX_NCCOM_MAX_HOSTS);
	nx_vec_push(hosts, nx_arena_copy(arena, name));
	return NX_OK;
}

enum nx_status nx_nccom_hosts_add(struct nx_nccom_hosts *hosts, const char *list,
				  struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	while (!st && *(list += strspn(list, ", "))) {
		size_t len = strcspn(list, ", ");

		st = add_name(hosts, nx_slice_of(list, len), arena, err);
		list += len;
	}
	return st;
}

static size_t span_of(struct nx_slice text, const char *ends)
{
	size_t len = 0;

	while (len < text.len && text.data[len] && !strchr(ends, (char)text.data[len]))
		len++;
	return len;
}

static enum nx_status read_lines(struct nx_nccom_hosts *hosts, struct nx_slice text,
				 struct nx_arena *arena, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t line = 1; text.len && !st; line++) {
		struct nx_slice name = nx_slice_part(text, 0, span_of(text, "\n"));
		size_t len = name.len;

		while (name.len && strchr(" \t", (char)name.data[0]))
			name = nx_slice_of(name.data + 1, name.len - 1);
		name.len = span_of(name, " \t\r#");
		if (name.len)
			st = add_name(hosts, name, arena, err);
		if (st)
			return nx_context(err, "line %zu", line);
		text = nx_slice_part(text, len + 1, SIZE_MAX);
	}
	return NX_OK;
}

enum nx_status nx_nccom_hosts_read(struct nx_nccom_hosts *hosts, const char *path,
				   struct nx_arena *arena, struct nx_error *err)
{
	struct nx_file file = {0};
	enum nx_status st = nx_file_map(&file, path, err);

	if (st)
		return nx_context(err, "--hosts-file");
	if (file.bytes.len > MAX_FILE_BYTES)
		st = nx_fail(err, NX_LIMIT, "it has %zu bytes; the limit is %zu", file.bytes.len,
			     MAX_FILE_BYTES);
	else
		st = read_lines(hosts, file.bytes, arena, err);
	nx_file_unmap(&file);
	return st ? nx_context(err, "%.200s", path) : NX_OK;
}

bool nx_nccom_host_is_here(const char *host)
{
	return !strncmp(host, "127.", 4) || !strcmp(host, "localhost") || !strcmp(host, "::1") ||
	       !strcmp(host, "[::1]");
}

/* --- which machine this is ------------------------------------------------------------------ */

/* Open MPI, MPICH and its relatives, Slurm. */
static const char *const rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};

enum nx_status nx_nccom_node_read(const char *text, uint32_t *node, struct nx_error *err)
{
	const char *name = "--node-rank";
	uint64_t number;

	if (!strcmp(text, "auto")) {
		text = NULL;
		for (size_t i = 0; i < 3 && !text; i++) {
			name = rank_variables[i];
			text = getenv(name);
		}
	}
	if (!text)
		return nx_fail(err, NX_USAGE,
			       "--node-rank auto: neither mpirun nor srun started this process; "
			       "give the number of this machine");
	if (!nx_slice_to_u64(nx_slice_text(text), &number) || number > UINT32_MAX)
		return nx_fail(err, NX_USAGE,
			       "%s must be the number of a machine, from 0, not '%.60s'", name,
			       text);
	*node = (uint32_t)number;
	return NX_OK;
}

bool nx_nccom_hosts_first(const char *list, char *out, size_t cap)
{
	bool is_inside = false, is_later = false; /* in [...]; after its first number */
	size_t used = 0;

	for (; *list && (is_inside || *list != ','); list++) {
		if (*list == '[' || *list == ']') {
			is_inside = *list == '[';
			is_later = false;
		} else if (is_inside && (*list == '-' || *list == ',')) {
			is_later = true;
		} else if (!is_later) {
			if (used + 1 >= cap)
				return false;
			out[used++] = *list;
		}
	}
	out[used] = '\0';
	return used > 0;
}

enum nx_status nx_nccom_root_complete(struct nx_error *err)
{
	const char *port = getenv(NX_NCCOM_ROOT), *list = getenv("SLURM_STEP_NODELIST");
	char text[300];
	size_t len;

	if (!port || port[0] != ':')
		return NX_OK;
	if (!list)
		list = getenv("SLURM_JOB_NODELIST");
	if (!list || !nx_nccom_hosts_first(list, text, sizeof(text) - 16) || strlen(port) > 6)
		return nx_fail(err, NX_USAGE,
			       NX_NCCOM_ROOT
			       "=%.20s is a port on the first machine of a Slurm job, but "
			       "SLURM_STEP_NODELIST does not name it; set " NX_NCCOM_ROOT
			       "=host:port",
			       port);
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, "%s", port);
	setenv(NX_NCCOM_ROOT, text, 1);
	return NX_OK;
}
