/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heap_trim.h"

#include <malloc.h>

void nx_heap_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
