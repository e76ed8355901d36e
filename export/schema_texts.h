/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_texts: the published tables (model/schema.h) written out for people and programs.
 * Failures stick in the output and surface at its commit.
 */
#ifndef NX_EXPORT_SCHEMA_TEXTS_H
#define NX_EXPORT_SCHEMA_TEXTS_H

#include "base/file.h"

/*
 * OpenAPI 3.0 in YAML, in the layout of AWS's `--show-profile-schema`: documents separated by
 * "---", first the root, then one per table and enumeration whose only key is its name. Scripts
 * save each document as <name>.yaml, the root as schema.yaml; references are to those files.
 */
void nx_schema_write_yaml(struct nx_output *out);

/* docs/schema.md: a section and a Markdown table per table. */
void nx_schema_write_markdown(struct nx_output *out);

#endif
