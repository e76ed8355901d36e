/* SPDX-License-Identifier: Apache-2.0 */
/* Against the examples that AWS publishes for requests to S3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "store/aws_signature.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define WELCOME "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
#define HOST "examplebucket.s3.amazonaws.com"
#define MOMENT "20130524T000000Z"

static const struct nx_aws_keys keys = {"AKIAIOSFODNN7EXAMPLE",
					"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", NULL};

static void assert_signature(const struct nx_aws_request *request, const char *wanted)
{
	struct nx_arena arena = {0};
	const char *text = nx_aws_signature(request, &keys, &arena);

	assert_string_equal(strrchr(text, '=') + 1, wanted);
	assert_non_null(strstr(text, "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"));
	nx_arena_release(&arena);
}

static void a_download(void **state)
{
	const struct nx_aws_header headers[] = {{"host", HOST},
						{"range", "bytes=0-9"},
						{"x-amz-content-sha256", EMPTY},
						{"x-amz-date", MOMENT}};
	struct nx_aws_request request = {"GET", "/test.txt", headers,	 4,
					 EMPTY, MOMENT,	     "us-east-1"};

	(void)state;
	assert_signature(&request,
			 "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void an_upload(void **state)
{
	const struct nx_aws_header headers[] = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
						{"host", HOST},
						{"x-amz-content-sha256", WELCOME},
						{"x-amz-date", MOMENT},
						{"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
	struct nx_aws_request request = {"PUT",	 "/test%24file.text", headers, 5, WELCOME,
					 MOMENT, "us-east-1"};

	(void)state;
	assert_signature(&request,
			 "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_download),
		cmocka_unit_test(an_upload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
