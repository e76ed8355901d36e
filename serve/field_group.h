/* SPDX-License-Identifier: Apache-2.0 */
/* field_group: the heading under which the details of an event show a column. */
#ifndef NX_SERVE_FIELD_GROUP_H
#define NX_SERVE_FIELD_GROUP_H

/* "Timing", "Identity", "Operation", "Memory", "Kernel", "Model", "Source" or "Details". */
const char *nx_field_group(const char *column);

#endif
