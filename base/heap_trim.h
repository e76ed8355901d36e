/* SPDX-License-Identifier: Apache-2.0 */
/* heap_trim: gives memory that was freed back to the system, which glibc otherwise keeps for later.
 * Worth its time after tens of megabytes. */
#ifndef NX_BASE_HEAP_TRIM_H
#define NX_BASE_HEAP_TRIM_H

void nx_heap_trim(void);

#endif
