/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the description of the API, without a server. */
#include <stdio.h>

#include "serve/routes.h"

int main(void)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_routes_describe(&w);
	fwrite(bytes.items, 1, bytes.len, stdout);
	nx_vec_release(&bytes);
	return 0;
}
