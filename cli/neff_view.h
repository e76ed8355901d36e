/* SPDX-License-Identifier: Apache-2.0 */
/* neff_view: the parts of the neff command that have files of their own. */
#ifndef NX_CLI_NEFF_VIEW_H
#define NX_CLI_NEFF_VIEW_H

#include "base/arena.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "format/neff.h"
#include "model/binary.h"

struct nx_neff_view {
	const char *path;
	struct nx_arena arena;
	struct nx_file file;
	struct nx_neff neff;
	struct nx_binary binary;
};

void nx_neff_print_header(struct nx_neff_view *v, struct nx_output *out);
void nx_neff_print_nodes(struct nx_neff_view *v, struct nx_output *out);
void nx_neff_print_members(struct nx_neff_view *v, struct nx_output *out);
void nx_neff_print_overview(struct nx_neff_view *v, struct nx_output *out);

/* Each writes one member of the open object. */
void nx_neff_write_header(const struct nx_neff_view *v, struct nx_json_writer *w);
void nx_neff_write_nodes(const struct nx_neff_view *v, struct nx_json_writer *w);
void nx_neff_write_members(const struct nx_neff_view *v, struct nx_json_writer *w);

/* engine NX_ENGINE_COUNT: all of them. */
void nx_neff_disassemble(struct nx_neff_view *v, enum nx_engine engine, struct nx_output *out);

/*
 * Writes every member below folder, which is created if needed. Nothing is written if a name would
 * leave the folder or, without force, if a file exists already. Links inside the folder are never
 * followed.
 */
NX_MUST_CHECK enum nx_status nx_neff_extract(const struct nx_neff *neff, const char *folder,
					     bool force, struct nx_error *err);

#endif
