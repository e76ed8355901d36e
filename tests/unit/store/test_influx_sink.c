/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/influx/influx_sink.h"
#include "tests/unit/fake_http.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PROBE "POST /api/v2/write?org=o 1&bucket=b&precision=ns HTTP"

static struct nx_error err;
static bool makes_bucket;

static struct nx_influx_sink *open_sink(struct nx_fake_http *fake, const char *token,
					enum nx_status status)
{
	struct nx_influx_options options = {.org = "o 1",
					    .bucket = "b",
					    .token = token,
					    .makes_bucket = makes_bucket,
					    .start_ns = 1000,
					    .batch_lines = 2,
					    .patience_ms = 3000};
	struct nx_influx_sink *sink;
	char endpoint[64];

	snprintf(endpoint, sizeof(endpoint), "http://127.0.0.1:%u//", fake->port);
	options.endpoint = endpoint;
	if (nx_influx_sink_open(&options, "p", &sink, &err) != status)
		fail_msg("%s", err.message);
	assert_true((sink == NULL) == (status != NX_OK));
	return sink;
}

static void put_pending(struct nx_influx_sink *sink, unsigned count, int64_t time)
{
	struct nx_table_sink *tables = nx_influx_sink_tables(sink);
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(tables, NX_SCHEMA_PendingDma);
	for (unsigned i = 0; i < count; i++) {
		nx_row_put_i64(&row, NX_COL_PendingDma_timestamp, time);
		nx_table_sink_put(tables, &row);
	}
	nx_table_sink_end(tables, NX_SCHEMA_PendingDma);
}

static void version_2_is_taken_where_it_is_known(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 204, ""},
		{.wants = "\r\n\r\nPendingDma,profile=p timestamp=7i,row=0i 1007\n"
			  "PendingDma,profile=p,ordinal=1 timestamp=7i,row=1i 1007\n",
		 204,
		 ""},
		{.wants = "\r\n\r\nPendingDma,profile=p,ordinal=2 timestamp=7i,row=2i 1007\n",
		 204,
		 ""},
	};
	struct nx_influx_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, "tok", NX_OK);
	assert_non_null(strstr(fake.last, "Authorization: Token tok\r\n"));
	put_pending(sink, 3, 7);
	if (nx_influx_sink_commit(sink, &err))
		fail_msg("%s", err.message);
	assert_int_equal(nx_influx_sink_line_count(sink), 3);
	assert_true(nx_influx_sink_sent_bytes(sink) > 0);
	nx_influx_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void version_1_is_fallen_back_to(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 404, "404 page not found\n"},
		{.wants = "POST /query?q=CREATE DATABASE \"b\" HTTP", 200, "{}"},
		{.wants = "POST /write?db=b&precision=ns HTTP", 204, ""},
	};
	struct nx_influx_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, "me:pw", NX_OK);
	put_pending(sink, 1, 7);
	assert_int_equal(nx_influx_sink_commit(sink, &err), NX_OK);
	/* me:pw */
	assert_non_null(strstr(fake.last, "Authorization: Basic bWU6cHc=\r\n"));
	nx_influx_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void a_missing_bucket_is_made_if_the_token_may(void **state)
{
	static const char missing[] = "{\"code\":\"not found\"}",
			  orgs[] = "{\"orgs\":[{\"id\":\"7f\"}]}";
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 404, missing},
		{.wants = "GET /api/v2/orgs?org=o 1 HTTP", 200, orgs},
		{.wants = "\r\n\r\n{\"orgID\":\"7f\",\"name\":\"b\"}", 201, "{}"},
		{.wants = "/api/v2/write", 204, ""},
		{.wants = PROBE, 404, missing},
		{.wants = "GET /api/v2/orgs", 200, "{\"orgs\":[]}"},
		{.wants = PROBE, 404, missing},
		{.wants = "GET /api/v2/orgs", 200, orgs},
		{.wants = "POST /api/v2/buckets HTTP", 403, "{\"code\":\"forbidden\"}"},
	};
	struct nx_influx_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	makes_bucket = true;
	sink = open_sink(&fake, "t", NX_OK);
	put_pending(sink, 1, 7);
	assert_int_equal(nx_influx_sink_commit(sink, &err), NX_OK);
	nx_influx_sink_close(sink);
	open_sink(&fake, "t", NX_NOT_FOUND);
	open_sink(&fake, "t", NX_NOT_FOUND);
	makes_bucket = false;
	assert_non_null(strstr(err.message, "forbidden\"}'); check --db-bucket"));
	nx_fake_http_stop(&fake);
}

static void a_lost_server_is_tried_again(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 400, "nothing to write"},
		{.wants = "/api/v2/write", .harm = NX_FAKE_HANG_UP},
		{.wants = "/api/v2/write", 503, "starting"},
		{.wants = "/api/v2/write", 429, "slow down"},
		{.wants = "PendingDma,profile=p timestamp=7i", 204, ""},
	};
	struct nx_influx_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, NULL, NX_OK);
	put_pending(sink, 1, 7);
	if (nx_influx_sink_commit(sink, &err))
		fail_msg("%s", err.message);
	nx_influx_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void what_it_refuses_is_told_once(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 204, ""},
		{.wants = "/api/v2/write",
		 400,
		 "{\"message\":\"partial write: field type conflict\"}\n"},
	};
	struct nx_influx_sink *sink;
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, NULL, NX_OK);
	put_pending(sink, 50, 7);
	assert_int_equal(nx_influx_sink_commit(sink, &err), NX_IO);
	assert_non_null(strstr(err.message, "field type conflict\"}'"));
	nx_influx_sink_close(sink);
	nx_fake_http_stop(&fake);
}

static void openings_that_fail_say_what_to_do(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 401, "{\"code\":\"unauthorized\"}"},
		{.wants = PROBE, 404, "{\"code\":\"not found\",\"message\":\"bucket not found\"}"},
		{.wants = PROBE, 413, ""},
		{.wants = PROBE, 500, "oh"},
		{.wants = PROBE, 404, ""},
		{.wants = "CREATE DATABASE", 401, ""},
	};
	static const struct {
		enum nx_status status;
		const char *says;
	} wanted[] = {
		{NX_PERMISSION, "INFLUX_TOKEN"}, {NX_NOT_FOUND, "influx bucket create --name b"},
		{NX_LIMIT, "max-body-size"},	 {NX_IO, "HTTP code 500, 'oh'"},
		{NX_PERMISSION, "token"},
	};
	struct nx_fake_http fake;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	for (unsigned i = 0; i < COUNT(wanted); i++) {
		open_sink(&fake, "t", wanted[i].status);
		if (!strstr(err.message, wanted[i].says))
			fail_msg("%u: %s", i, err.message);
	}
	nx_fake_http_stop(&fake);
	open_sink(&fake, NULL, NX_IO);
	assert_non_null(strstr(err.message, "--db-endpoint"));
	assert_non_null(strstr(err.message, "parquet, needs no server"));
}

/* Times: of device tables from the start, of system tables as they are, without one by number. */
static void every_table_has_a_time(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = PROBE, 204, ""},
		{.wants = "CpuUsage,profile=p timestamp=5i,row=0i 5\nWarning,profile=p row=0i "
			  "1000\n",
		 204,
		 ""},
		{.wants = "Warning,profile=p row=1i 1001\n", 204, ""},
	};
	struct nx_table_sink *tables;
	struct nx_influx_sink *sink;
	struct nx_fake_http fake;
	struct nx_row row;

	(void)state;
	nx_fake_http_start(&fake, steps, COUNT(steps));
	sink = open_sink(&fake, NULL, NX_OK);
	tables = nx_influx_sink_tables(sink);
	nx_table_sink_begin(tables, NX_SCHEMA_CpuUsage);
	nx_table_sink_begin(tables, NX_SCHEMA_Warning);
	nx_row_init(&row, NX_SCHEMA_CpuUsage);
	nx_row_put_i64(&row, NX_COL_CpuUsage_timestamp, 5);
	nx_table_sink_put(tables, &row);
	nx_row_init(&row, NX_SCHEMA_Warning);
	nx_table_sink_put(tables, &row);
	nx_table_sink_put(tables, &row);
	assert_int_equal(nx_influx_sink_commit(sink, &err), NX_OK);
	nx_influx_sink_close(sink);
	nx_fake_http_stop(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2_is_taken_where_it_is_known),
		cmocka_unit_test(version_1_is_fallen_back_to),
		cmocka_unit_test(a_missing_bucket_is_made_if_the_token_may),
		cmocka_unit_test(a_lost_server_is_tried_again),
		cmocka_unit_test(what_it_refuses_is_told_once),
		cmocka_unit_test(openings_that_fail_say_what_to_do),
		cmocka_unit_test(every_table_has_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
