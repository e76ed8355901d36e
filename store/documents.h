/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents: small JSON texts that people add: annotations of a profile, layouts of a workspace.
 *
 *	struct nx_document_place place = {workspace, "bert"};	of the profile; NULL: layouts
 *	st = nx_document_write(&place, "first look", text, err);
 *
 *	profiles/global/<name>@latest/annotations/<document>.json
 *	layouts/<document>.json
 *
 * A write is atomic, even across a power cut. Documents of a profile follow it: they are renamed
 * and deleted with it, and kept when it is stored again. The caller checks what a text contains.
 * Names follow the rules of profile names.
 */
#ifndef NX_STORE_DOCUMENTS_H
#define NX_STORE_DOCUMENTS_H

#include "store/workspace.h"

#define NX_DOCUMENT_BYTES_MAX ((size_t)1 << 20)
#define NX_DOCUMENTS_MAX 200u /* in one place */

struct nx_document_place {
	struct nx_workspace *workspace;
	const char *profile;
};

struct nx_document_names NX_VEC_BODY(const char *);

/* Sorted by name. Texts live in the arena; the caller releases the list. */
NX_MUST_CHECK enum nx_status nx_documents_list(const struct nx_document_place *place,
					       struct nx_arena *arena,
					       struct nx_document_names *names,
					       struct nx_error *err);
/* Appends the text. NOT_FOUND if there is no document of that name. */
NX_MUST_CHECK enum nx_status nx_document_read(const struct nx_document_place *place,
					      const char *name, struct nx_bytes *text,
					      struct nx_error *err);
/* LIMIT if the text is too long or there are too many documents. */
NX_MUST_CHECK enum nx_status nx_document_write(const struct nx_document_place *place,
					       const char *name, struct nx_slice text,
					       struct nx_error *err);
/* NOT_FOUND if it does not exist. */
NX_MUST_CHECK enum nx_status nx_document_remove(const struct nx_document_place *place,
						const char *name, struct nx_error *err);

/* For staging: copies the documents of one profile folder into another, which has none yet. */
NX_MUST_CHECK enum nx_status nx_documents_keep(int from_folder, int to_folder, const char *shown,
					       struct nx_error *err);

#endif
