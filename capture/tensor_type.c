/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tensor_type.h"

#include <assert.h>
#include <string.h>

#include "machine/dtype.h"

static_assert((int)NRT_DTYPE_BFLOAT16 == NX_DTYPE_BF16 && (int)NRT_DTYPE_INT64 == NX_DTYPE_INT64 &&
		      (int)NRT_DTYPE_FP8_E5 == NX_DTYPE_FP8E5,
	      "the runtime numbers element types as instruction words do");

/* Types that NumPy lacks are stored as bytes or words without a meaning. */
static const char *accepted_npy(nrt_dtype_t dtype)
{
	switch (dtype) {
	case NRT_DTYPE_UINT8:
		return "|u1 |b1";
	case NRT_DTYPE_BFLOAT16:
		return "<u2 <V2 |V2";
	case NRT_DTYPE_FP8_E3:
	case NRT_DTYPE_FP8_E4:
	case NRT_DTYPE_FP8_E5:
		return "|u1 |V1";
	default:
		return nx_dtype_npy(dtype);
	}
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; len && (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

bool nx_tensor_type_accepts(nrt_dtype_t dtype, const char *npy)
{
	const char *accepted = accepted_npy(dtype);

	return !accepted || has_word(accepted, npy);
}
