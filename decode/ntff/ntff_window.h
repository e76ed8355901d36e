/* SPDX-License-Identifier: Apache-2.0 */
/* ntff_window: when the measured execution began and ended, by the best evidence there is. */
#ifndef NX_DECODE_NTFF_NTFF_WINDOW_H
#define NX_DECODE_NTFF_NTFF_WINDOW_H

#include "decode/ntff/ntff_decoder.h"

NX_MUST_CHECK enum nx_status nx_ntff_find_window(struct nx_ntff_decoder *decoder,
						 const struct nx_ntff_options *options,
						 struct nx_error *err);

#endif
