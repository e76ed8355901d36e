/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/engine_name.h"

#include <strings.h>

enum nx_engine nx_engine_find(const char *name)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_engine_names *n = &nx_engines[e];

		if (!strcasecmp(name, n->label) || !strcasecmp(name, n->neff_key) ||
		    !strcasecmp(name, n->stem))
			return (enum nx_engine)e;
	}
	return NX_ENGINE_COUNT;
}

enum nx_status nx_engine_parse(const char *name, enum nx_engine *engine, struct nx_error *err)
{
	*engine = nx_engine_find(name);
	if (*engine == NX_ENGINE_COUNT)
		return nx_fail(err, NX_USAGE,
			       "there is no engine '%.100s'; there are: %s (or pe act pool dve sp)",
			       name, NX_ENGINE_LABELS);
	return NX_OK;
}
