/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_name: what a profile may be called. The name is a folder's name, a
 * part of an address in the browser and a word in users' scripts, so it has to
 * be harmless in all three: 1 to 150 characters of UTF-8 in at most 240 bytes,
 * none of / \ @ * ? [ ], none that is invisible, not beginning with a dot, a
 * dash or a blank and not ending with a blank. It can therefore neither leave
 * its folder nor look like an option or a pattern.
 */
#ifndef NX_STORE_PROFILE_NAME_H
#define NX_STORE_PROFILE_NAME_H

#include "base/bare/slice.h"
#include "base/error.h"

#define NX_PROFILE_NAME_CHARS 150
#define NX_PROFILE_NAME_BYTES 240
#define NX_PROFILE_NAME_MAX (NX_PROFILE_NAME_BYTES + 1)

/* Behind every name in the folder of profiles, as AWS's tool writes it. */
#define NX_PROFILE_VERSION_SUFFIX "@latest"
#define NX_PROFILE_FOLDER_MAX (NX_PROFILE_NAME_BYTES + sizeof(NX_PROFILE_VERSION_SUFFIX))

/* USAGE with the rule that was broken. */
NX_MUST_CHECK enum nx_status nx_profile_name_check(struct nx_slice name, struct nx_error *err);

/* An allowed name from any text, such as a file's: what is not allowed becomes '_'. */
void nx_profile_name_make(struct nx_slice text, char name[NX_PROFILE_NAME_MAX]);

/* "name" of "name@latest"; the text itself when it has no such end. */
struct nx_slice nx_profile_name_without_version(struct nx_slice text);

#endif
