/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/site.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "serve/assets.h"
#include "serve/download.h"
#include "serve/host_name.h"
#include "serve/overview.h"
#include "serve/page.h"
#include "serve/page_internal.h"

#define HTML "text/html; charset=utf-8"
#define JSON "application/json"
#define TEXT "text/plain; charset=utf-8"

struct nx_site {
	const struct nx_profile *profile;
	const char *host;
	char key[NX_PROFILE_KEY_MAX];
	struct nx_arena arena;
	struct nx_overview overview;
	struct nx_download download;
	struct nx_site_answer {
		struct nx_bytes body;
		struct MHD_Response *response;
	} * answers; /* one per route */
	struct nx_site_answer missing;
};

/* --- what each route says -------------------------------------------------- */

static enum nx_status render_list(struct nx_site *site, struct nx_bytes *body, struct nx_error *err)
{
	(void)err;
	nx_page_list(body, site->profile);
	return NX_OK;
}

static enum nx_status render_profile(struct nx_site *site, struct nx_bytes *body,
				     struct nx_error *err)
{
	(void)err;
	nx_page_profile(body, site->profile, &site->overview);
	return NX_OK;
}

static void put_lane_json(struct nx_json_writer *w, const struct nx_overview *o, uint32_t core,
			  unsigned lane, const char *name)
{
	nx_json_key(w, name);
	nx_json_begin_array(w);
	for (unsigned c = 0; c < o->column_count; c++)
		nx_json_u64(w, nx_overview_level(o, &o->cores[core].lanes[lane], c));
	nx_json_end_array(w);
}

/* Times are texts: JavaScript's numbers cannot hold 64 bits. */
static enum nx_status render_overview(struct nx_site *site, struct nx_bytes *body,
				      struct nx_error *err)
{
	const struct nx_overview *o = &site->overview;
	struct nx_json_writer w;
	char ps[24];

	(void)err;
	nx_json_init_bytes(&w, body, false);
	nx_json_begin_object(&w);
	snprintf(ps, sizeof(ps), "%llu", (unsigned long long)o->span_ps);
	nx_json_key_text(&w, "span_ps", ps);
	snprintf(ps, sizeof(ps), "%llu", (unsigned long long)o->column_ps);
	nx_json_key_text(&w, "column_ps", ps);
	nx_json_key_u64(&w, "level_max", 10000);
	nx_json_key(&w, "cores");
	nx_json_begin_array(&w);
	for (uint32_t core = 0; core < o->core_count; core++) {
		nx_json_begin_object(&w);
		nx_json_key_u64(&w, "nc_idx", site->profile->capture.graphs[core].nc_idx);
		for (unsigned i = 0; i < NX_LANE_BUSY_COUNT; i++)
			put_lane_json(&w, o, core, nx_page_lane_order[i],
				      nx_page_lane_label(nx_page_lane_order[i]));
		put_lane_json(&w, o, core, NX_LANE_THROTTLE, "throttled");
		nx_json_end_object(&w);
	}
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return NX_OK;
}

static enum nx_status render_summary(struct nx_site *site, struct nx_bytes *body,
				     struct nx_error *err)
{
	uint64_t size_bytes;
	ssize_t got = 0;
	int fd;
	enum nx_status st =
		nx_export_unlinked(site->profile, "summary-json", &fd, &size_bytes, err);

	if (st)
		return st;
	nx_vec_reserve(body, size_bytes);
	while (body->len < size_bytes &&
	       (got = pread(fd, body->items + body->len, size_bytes - body->len,
			    (off_t)body->len)) > 0)
		body->len += (size_t)got;
	close(fd);
	return body->len == size_bytes ? NX_OK
				       : nx_fail(err, NX_IO, "cannot read a temporary file");
}

static enum nx_status render_asset(struct nx_bytes *body, const struct nx_plain_asset *asset)
{
	nx_bytes_append(body, asset->bytes, asset->size);
	return NX_OK;
}

static enum nx_status render_style(struct nx_site *site, struct nx_bytes *body,
				   struct nx_error *err)
{
	(void)site, (void)err;
	return render_asset(body, &nx_asset_style_css);
}

static enum nx_status render_script(struct nx_site *site, struct nx_bytes *body,
				    struct nx_error *err)
{
	(void)site, (void)err;
	return render_asset(body, &nx_asset_profile_js);
}

static enum nx_status render_icon(struct nx_site *site, struct nx_bytes *body, struct nx_error *err)
{
	(void)site, (void)err;
	return render_asset(body, &nx_asset_icon_svg);
}

static enum nx_status render_health(struct nx_site *site, struct nx_bytes *body,
				    struct nx_error *err)
{
	(void)site, (void)err;
	nx_bytes_append(body, "ok\n", 3);
	return NX_OK;
}

/* --- routes ---------------------------------------------------------------- */

static const struct route {
	const char *path; /* * stands for the profile's key */
	const char *type;
	enum nx_status (*render)(struct nx_site *site, struct nx_bytes *body, struct nx_error *err);
} routes[] = {
	{"/", HTML, render_list},
	{"/profile/*", HTML, render_profile},
	{"/profile/*/overview.json", JSON, render_overview},
	{"/profile/*/summary.json", JSON, render_summary},
	{"/profile/*/profile.json", JSON, NULL}, /* NULL: the download */
	{"/assets/style.css", "text/css; charset=utf-8", render_style},
	{"/assets/profile.js", "text/javascript; charset=utf-8", render_script},
	{"/assets/icon.svg", "image/svg+xml", render_icon},
	{"/healthz", TEXT, render_health},
};

#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

static bool is_route(const struct route *route, const char *key, const char *url)
{
	const char *star = strchr(route->path, '*');
	size_t before, key_len = strlen(key);

	if (!star)
		return !strcmp(route->path, url);
	before = (size_t)(star - route->path);
	return !strncmp(route->path, url, before) && !strncmp(url + before, key, key_len) &&
	       !strcmp(url + before + key_len, star + 1);
}

static void add_headers(struct MHD_Response *response, const char *type)
{
	static const char *const headers[][2] = {
		{"Content-Security-Policy",
		 "default-src 'self'; base-uri 'none'; form-action 'none'; "
		 "frame-ancestors 'none'"},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Referrer-Policy", "no-referrer"},
		{"Cache-Control", "no-cache"},
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
}

static enum nx_status finish_answer(struct nx_site_answer *answer, const char *type,
				    struct nx_error *err)
{
	answer->response = MHD_create_response_from_buffer(answer->body.len, answer->body.items,
							   MHD_RESPMEM_PERSISTENT);
	if (!answer->response)
		return nx_fail(err, NX_LIMIT, "cannot prepare the pages: not enough memory");
	add_headers(answer->response, type);
	return NX_OK;
}

/* --- answering ------------------------------------------------------------- */

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code,
			      const char *sentence)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(sentence), (void *)(uintptr_t)sentence, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	add_headers(response, TEXT);
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return result;
}

/* The name of a file is part of a header: only harmless letters get there. */
static void add_file_name(struct MHD_Response *response, const char *name)
{
	char header[160] = "attachment; filename=\"";
	size_t used = strlen(header);

	for (; *name && used < sizeof(header) - sizeof(".json\""); name++)
		header[used++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_-",
					*name)
					 ? *name
					 : '_';
	snprintf(header + used, sizeof(header) - used, ".json\"");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, header);
}

/* What *request points at tells how far a request has come. */
static char headers_seen, waited;

static enum MHD_Result answer_download(struct nx_site *site, struct MHD_Connection *connection,
				       void **request)
{
	bool has_waited = *request == &waited;
	struct nx_error error;
	struct MHD_Response *response;
	enum MHD_Result result;
	int fd;

	*request = &waited;
	switch (nx_download_ask(&site->download, connection, has_waited, &error)) {
	case NX_DOWNLOAD_RUNNING:
		return MHD_YES;
	case NX_DOWNLOAD_READY:
		break;
	default:
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message);
	}
	fd = dup(site->download.fd);
	response = fd < 0 ? NULL : MHD_create_response_from_fd64(site->download.size_bytes, fd);
	if (!response) {
		if (fd >= 0)
			close(fd);
		return MHD_NO;
	}
	add_headers(response, JSON);
	add_file_name(response, site->profile->name);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result nx_site_answer(void *context, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *upload,
			       size_t *upload_size, void **request)
{
	struct nx_site *site = context;
	const char *host =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	(void)version, (void)upload, (void)upload_size;
	if (!nx_host_name_is_ours(host, site->host))
		return refuse(connection, MHD_HTTP_MISDIRECTED_REQUEST,
			      "Open this page at the address that the viewer printed; requests by "
			      "other names are refused.\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "Profiles can be read only: use GET or HEAD.\n");
	/* an answer before the request was read to its end would cost the connection */
	if (!*request) {
		*request = &headers_seen;
		return MHD_YES;
	}
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (!is_route(&routes[i], site->key, url))
			continue;
		if (!routes[i].render)
			return answer_download(site, connection, request);
		return MHD_queue_response(connection, MHD_HTTP_OK, site->answers[i].response);
	}
	return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, site->missing.response);
}

/* --- life ------------------------------------------------------------------ */

static enum nx_status build(struct nx_site *site, struct nx_error *err)
{
	enum nx_status st = nx_overview_build(&site->overview, site->profile, &site->arena, err);

	for (size_t i = 0; !st && i < ROUTE_COUNT; i++) {
		if (!routes[i].render)
			continue;
		st = routes[i].render(site, &site->answers[i].body, err);
		if (!st)
			st = finish_answer(&site->answers[i], routes[i].type, err);
	}
	nx_page_message(&site->missing.body, "Nothing here",
			"There is no such page, or the profile was opened by another run of the "
			"viewer.");
	return st ? st : finish_answer(&site->missing, HTML, err);
}

enum nx_status nx_site_new(struct nx_site **out, const struct nx_profile *profile, const char *host,
			   struct nx_error *err)
{
	struct nx_site *site = nx_heap_alloc(sizeof(*site));
	enum nx_status st;

	*site = (struct nx_site){.profile = profile, .host = host};
	site->answers = NX_NEW_ARRAY(&site->arena, struct nx_site_answer, ROUTE_COUNT);
	nx_profile_key(profile, site->key);
	nx_download_init(&site->download, profile);
	st = build(site, err);
	if (st)
		nx_site_free(site);
	else
		*out = site;
	return st;
}

void nx_site_stop(struct nx_site *site)
{
	nx_download_stop(&site->download);
}

static void release_answer(struct nx_site_answer *answer)
{
	if (answer->response)
		MHD_destroy_response(answer->response);
	nx_vec_release(&answer->body);
}

void nx_site_free(struct nx_site *site)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++)
		release_answer(&site->answers[i]);
	release_answer(&site->missing);
	nx_download_release(&site->download);
	nx_arena_release(&site->arena);
	nx_heap_free(site);
}
