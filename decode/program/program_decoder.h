/* SPDX-License-Identifier: Apache-2.0 */
/* program_decoder: the words of the device images, joined with the NEFF, as struct nx_program.
 * Capture and binary must outlive it; binary may be NULL. */
#ifndef NX_DECODE_PROGRAM_PROGRAM_DECODER_H
#define NX_DECODE_PROGRAM_PROGRAM_DECODER_H

#include "base/arena.h"
#include "model/program.h"

void nx_program_decode(const struct nx_capture *capture, const struct nx_binary *binary,
		       struct nx_arena *arena, struct nx_program *out);

#endif
