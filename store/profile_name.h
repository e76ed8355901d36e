/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_name: the rules for names of profiles. A name is a folder, a part of a URL and a word in
 * users' scripts, so it must be harmless in all three: 1 to 150 characters of UTF-8 in at most 240
 * bytes, none of / \ @ * ? [ ], no invisible character, no dot, dash or space at the start and no
 * space at the end. It can neither leave its folder nor look like an option or a pattern.
 */
#ifndef NX_STORE_PROFILE_NAME_H
#define NX_STORE_PROFILE_NAME_H

#include "base/bare/slice.h"
#include "base/error.h"

#define NX_PROFILE_NAME_CHARS 150
#define NX_PROFILE_NAME_BYTES 240
#define NX_PROFILE_NAME_MAX (NX_PROFILE_NAME_BYTES + 1)

/* The suffix of every name in the folder of profiles, as AWS's tool writes it. */
#define NX_PROFILE_VERSION_SUFFIX "@latest"
#define NX_PROFILE_FOLDER_MAX (NX_PROFILE_NAME_BYTES + sizeof(NX_PROFILE_VERSION_SUFFIX))

/* USAGE with the rule that the name breaks. */
NX_MUST_CHECK enum nx_status nx_profile_name_check(struct nx_slice name, struct nx_error *err);

/* The same for a new profile, whose name may not be an address of the server either. */
NX_MUST_CHECK enum nx_status nx_profile_name_check_new(struct nx_slice name, struct nx_error *err);

/* Makes a name for a new profile from any text, such as a file name. */
void nx_profile_name_make(struct nx_slice text, char name[NX_PROFILE_NAME_MAX]);

/* Strips "@latest" from the end, if it is there. */
struct nx_slice nx_profile_name_without_version(struct nx_slice text);

#endif
