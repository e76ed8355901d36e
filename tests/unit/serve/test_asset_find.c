/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/assets.h"

/* A table of our own: what is inside the program depends on how it was configured. */
const struct nx_asset nx_assets[] = {
	{.path = "index.html"},
	{.path = "index.1.html"},
	{.path = "index.2.html"},
	{.path = "main-0A1B2C3D.js", .is_hashed = true},
};
const size_t nx_asset_count = sizeof(nx_assets) / sizeof(nx_assets[0]);

static void assert_found(const char *url_path, const char *name)
{
	const struct nx_asset *asset = nx_asset_find(url_path);

	assert_non_null(asset);
	assert_string_equal(asset->path, name);
}

static void test_files_are_found_by_name(void **state)
{
	(void)state;
	assert_found("/assets/main-0A1B2C3D.js", "main-0A1B2C3D.js");
	assert_null(nx_asset_find("/assets/main-00000000.js"));
	assert_null(nx_asset_find("/assets/"));
	assert_null(nx_asset_find("/assets"));
	assert_null(nx_asset_find("/assets/x/main-0A1B2C3D.js"));
}

static void test_a_page_knows_its_depth(void **state)
{
	(void)state;
	assert_found("/", "index.html");
	assert_found("/assetsx", "index.html");
	assert_found("/profile/x", "index.1.html");
	assert_found("/profile/x/summary", "index.2.html");
	assert_null(nx_asset_find("/a/b/c/d"));
}

static void test_the_api_has_no_pages(void **state)
{
	(void)state;
	assert_null(nx_asset_find("/api"));
	assert_null(nx_asset_find("/api/v1/nothing"));
	assert_found("/apinot", "index.html");
	assert_null(nx_asset_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_are_found_by_name),
		cmocka_unit_test(test_a_page_knows_its_depth),
		cmocka_unit_test(test_the_api_has_no_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
