/* SPDX-License-Identifier: Apache-2.0 */
/* text_list: names handed to the host, who may free them one by one with free. */
#ifndef NX_RUNTIME_NRT_TEXT_LIST_H
#define NX_RUNTIME_NRT_TEXT_LIST_H

#include <nrt/nrt_status.h>
#include <stddef.h>

/* Copies; NRT_INVALID when there is nowhere to put them, NRT_RESOURCE without memory. */
NRT_STATUS nx_text_list_new(const char *const *names, size_t name_count, const char ***out,
			    size_t *out_count);
void nx_text_list_free(const char **list, size_t count);

#endif
