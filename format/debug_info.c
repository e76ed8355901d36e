/* SPDX-License-Identifier: Apache-2.0 */
#include "format/debug_info.h"

#define NX_MESSAGE NX_WIRE_TABLE
#define NX_MEMBER NX_WIRE_ROW
#define NX_MESSAGE_END NX_WIRE_TABLE_END
#include "format/debug_info.def"
