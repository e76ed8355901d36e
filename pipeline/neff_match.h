/* SPDX-License-Identifier: Apache-2.0 */
/* neff_match: whether a capture and a binary are of the same model. */
#ifndef NX_PIPELINE_NEFF_MATCH_H
#define NX_PIPELINE_NEFF_MATCH_H

#include "model/binary.h"
#include "model/capture.h"

/*
 * Keeps the binaries that are of a model of the capture, with its number, one for each model.
 * Graphs of a capture of several models are marked if they have none. Returns how many were kept.
 */
size_t nx_neff_join(struct nx_capture *capture, struct nx_binary *binaries, size_t count);
/* The same, of a session file's ids: the node's (uid) and the file's (uuid). */
bool nx_neff_has_id(struct nx_slice uid, struct nx_slice uuid, const uint8_t neff_uuid[16]);

#endif
