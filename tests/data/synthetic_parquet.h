/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_parquet: small Parquet files of every encoding, from which fuzzing starts. */
#ifndef NX_TESTS_SYNTHETIC_PARQUET_H
#define NX_TESTS_SYNTHETIC_PARQUET_H

#include "tests/data/synthetic.h"

bool nx_synthetic_parquet_corpus(nx_synthetic_seed_fn fn, void *context);

#endif
