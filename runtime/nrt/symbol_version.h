/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_version: one function under one or two version nodes of libnrt.map.
 *
 * Each macro declares the function with the type of its published name, so that the two cannot
 * differ; the definition follows. clang has no such attribute and gets the directive instead.
 */
#ifndef NX_RUNTIME_NRT_SYMBOL_VERSION_H
#define NX_RUNTIME_NRT_SYMBOL_VERSION_H

#include "runtime/nrt/nrt_state.h"

#if defined(__has_attribute) && __has_attribute(symver)
#define NX_SYMVER(function, name_and_node) __attribute__((symver(name_and_node)))
#define NX_SYMVER_DIRECTIVE(function, name_and_node)
#else
#define NX_SYMVER(function, name_and_node)
#define NX_SYMVER_DIRECTIVE(function, name_and_node)                                               \
	__asm__(".symver " #function ", " name_and_node);
#endif

/* A symbol whose node in AWS's library is not public: either is found. */
#define NX_NRT_EITHER(function, name)                                                              \
	NX_SYMVER_DIRECTIVE(function, #name "@@NRT_2.0.0")                                         \
	NX_SYMVER_DIRECTIVE(function, #name "@NRT_3.0.0")                                          \
	NX_EXPORT NX_SYMVER(function, #name "@@NRT_2.0.0") __typeof__(name) function;              \
	NX_EXPORT NX_SYMVER(function, #name "@NRT_3.0.0") __typeof__(name) function

/* What programs link to today. */
#define NX_NRT_3(function, name)                                                                   \
	NX_SYMVER_DIRECTIVE(function, #name "@@NRT_3.0.0")                                         \
	NX_EXPORT NX_SYMVER(function, #name "@@NRT_3.0.0") __typeof__(name) function

/* What programs linked before; type is the function's type in the older header. */
#define NX_NRT_2(function, name, type)                                                             \
	NX_SYMVER_DIRECTIVE(function, #name "@NRT_2.0.0")                                          \
	NX_EXPORT NX_SYMVER(function, #name "@NRT_2.0.0") __typeof__(type) function

#endif
