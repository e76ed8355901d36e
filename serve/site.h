/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site: what there is to visit. Answers are made once, when the site is built;
 * a request is checked, looked up in the table of routes and given its answer.
 */
#ifndef NX_SERVE_SITE_H
#define NX_SERVE_SITE_H

#include <microhttpd.h>

#include "base/error.h"
#include "model/profile.h"

struct nx_site;

NX_MUST_CHECK enum nx_status nx_site_new(struct nx_site **site, const struct nx_profile *profile,
					 const char *host, struct nx_error *err);
void nx_site_stop(struct nx_site *site); /* before the daemon stops: nobody stays suspended */
void nx_site_free(struct nx_site *site); /* after it has stopped */

/* An MHD_AccessHandlerCallback; its context is the site. */
enum MHD_Result nx_site_answer(void *context, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *upload,
			       size_t *upload_size, void **request);

#endif
