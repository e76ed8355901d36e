/* SPDX-License-Identifier: Apache-2.0 */
/* instruction_names: names of opcodes, activation functions and queues. */
#include "format/instruction.h"

#include <stdio.h>
#include <string.h>

static const char *const opcode_names[256] = {
#define NX_OPCODE(code, name) [code] = #name,
#include "format/opcodes.def"
};

/* As in the activation tables of a NEFF, in capitals as printed. */
static const char *const activation_names[256] = {
	[1] = "IDENTITY",
	[2] = "RELU",
	[3] = "LEAKY_RELU",
	[4] = "PARAMETRIC_RELU",
	[6] = "TANH",
	[7] = "EXP",
	[10] = "LN",
	[11] = "DERIVATIVE_IDENTITY",
	[12] = "DERIVATIVE_RELU",
	[13] = "DERIVATIVE_LEAKY_RELU",
	[19] = "SIN",
	[29] = "RECIPROCAL_SQRT",
	[30] = "SQUARE",
	[31] = "SIGN",
	[33] = "ABS",
	[35] = "IS_FINITE",
	[36] = "SILU",
	[128] = "COPY",
	[130] = "MEMSET_ZERO",
};

const char *nx_opcode_name(uint8_t opcode)
{
	return opcode_names[opcode];
}

const char *nx_opcode_label(uint8_t opcode, char *buf)
{
	if (opcode_names[opcode])
		return opcode_names[opcode];
	snprintf(buf, 8, "OP_%02X", opcode);
	return buf;
}

bool nx_opcode_is_setup(uint8_t opcode)
{
	switch (opcode) {
	case NX_OP_NOP:
	case NX_OP_SET_ORDERING_MODE:
	case NX_OP_EVENT_SEMAPHORE:
	case NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR:
	case NX_OP_NOTIFY:
	case NX_OP_COMPARE_BRANCH:
	case NX_OP_DRAIN:
	case NX_OP_WRITE:
	case NX_OP_TENSOR_LOAD:
	case NX_OP_MODIFY_POOL_CONFIG:
		return true;
	default:
		return false;
	}
}

const char *nx_activation_name(uint8_t function, char *buf)
{
	if (activation_names[function])
		return activation_names[function];
	snprintf(buf, 4, "%u", (unsigned)function);
	return buf;
}

/* The owner in the compiler's spelling and in the profiler's. */
static const struct {
	const char *prefix, *display;
} queue_owners[] = {
	{"qPool", "qGpSimd"}, {"qPoo", "qGpSimd"}, /* compiler 2.24 cuts the owner to three letters
						    */
	{"qSP", "qSync"},     {"qAct", "qScalar"}, {"qDVE", "qVector"},
	{"qDve", "qVector"},  {"qPE", "qTensor"},  {"qPe", "qTensor"},
};

static size_t append(char *out, size_t used, size_t cap, const char *text, size_t len)
{
	if (len > cap - 1 - used)
		len = cap - 1 - used;
	memcpy(out + used, text, len);
	return used + len;
}

size_t nx_queue_display_name(const char *name, size_t len, char *out, size_t cap)
{
	/* The runtime adds this queue; it is shown unchanged. */
	bool is_unchanged = nx_slice_is(nx_slice_of(name, len), "qDveTable");
	size_t used = 0;

	if (cap == 0)
		return 0;
	for (size_t i = 0; !is_unchanged && i < sizeof(queue_owners) / sizeof(queue_owners[0]);
	     i++) {
		const char *prefix = queue_owners[i].prefix;
		const char *display = queue_owners[i].display;

		if (!nx_slice_starts(nx_slice_of(name, len), prefix))
			continue;
		used = append(out, used, cap, display, strlen(display));
		name += strlen(prefix);
		len -= strlen(prefix);
		break;
	}
	if (len)
		used = append(out, used, cap, name, len);
	out[used] = '\0';
	return used;
}
