/* SPDX-License-Identifier: Apache-2.0 */
/* exactly: numbers that are equal to the last bit; cmocka's comparison lets NaN and an ulp pass. */
#ifndef NX_TESTS_EXACTLY_H
#define NX_TESTS_EXACTLY_H

#define assert_exactly(value, expected) assert_true((double)(value) == (double)(expected))

#endif
