/* SPDX-License-Identifier: Apache-2.0 */
/* instruction_names: what the bytes of an instruction word are called. */
#include "format/instruction.h"

#include <stdio.h>
#include <string.h>

/*
 * The runtime's names, except where the profiler prints another one (0x23,
 * 0x42, 0x43, 0xb8 as seen in its output; 0x41 as in published texts).
 */
static const char *const opcode_names[256] = {
	[0x01] = "LDWEIGHTS",
	[0x02] = "MATMUL",
	[0x03] = "PE_REG_WRITE",
	[0x04] = "WEIGHT_MASK",
	[0x05] = "WEIGHT_SHIFT",
	[0x06] = "LDTAGS",
	[0x07] = "MATMUL_SPARSE",
	[0x08] = "PE_MANAGE_SEED",
	[0x09] = "LDWEIGHTS_MX",
	[0x0a] = "MATMUL_MX",
	[0x21] = "ACTIVATE",
	[0x22] = "ACTIVATE_QUANTIZE",
	[0x23] = "ACT_TABLE_LOAD",
	[0x24] = "ACTIVATION_READ_ACCUMULATOR",
	[0x25] = "ACTIVATE2",
	[0x26] = "ACTIVATE_MULTIPASS",
	[0x30] = "EXPONENTIAL",
	[0x41] = "TENSOR_TENSOR",
	[0x42] = "TENSOR_REDUCE",
	[0x43] = "TENSOR_SCALAR",
	[0x44] = "TENSOR_SCALAR_PTR_ARITH_OP",
	[0x45] = "POOL",
	[0x46] = "COPY",
	[0x47] = "CAST",
	[0x48] = "RECIPROCAL",
	[0x49] = "MEMSET",
	[0x4a] = "REG_LOAD",
	[0x4b] = "REG_STORE",
	[0x4c] = "REG_SHUFFLE",
	[0x4d] = "RNG",
	[0x4e] = "TENSOR_CUMULATIVE_ARITH_OP",
	[0x4f] = "TENSOR_SCALAR_PTR_MULTI_ARITH",
	[0x51] = "TENSOR_TENSOR_BITVEC_OP",
	[0x52] = "TENSOR_REDUCE_BITVEC_OP",
	[0x53] = "TENSOR_SCALAR_BITVEC_OP",
	[0x54] = "TENSOR_SCALAR_PTR_BITVEC_OP",
	[0x58] = "MAX_POOL_SELECT",
	[0x5e] = "TENSOR_CUMULATIVE_BITVEC_OP",
	[0x5f] = "TENSOR_SCALAR_PTR_MULTI_BITVEC",
	[0x60] = "BATCH_NORM_STATS",
	[0x61] = "BATCH_NORM_STATS2",
	[0x62] = "BATCH_NORM_AGGREGATE",
	[0x63] = "BATCH_NORM_GRAD_ACCUMULATE",
	[0x64] = "BATCH_NORM_PARAM_LOAD",
	[0x65] = "BATCH_NORM_BACK_PROP",
	[0x66] = "LOAD_PARAMETER_RAM",
	[0x67] = "POOL_BUFFER_LOAD",
	[0x68] = "GATHER",
	[0x69] = "LOAD_MASK_SELECT",
	[0x6a] = "STREAM_SHUFFLE",
	[0x6b] = "STREAM_TRANSPOSE",
	[0x6c] = "MAX8",
	[0x6d] = "MATCH_VALUE_LOAD",
	[0x6e] = "FIND_INDEX8",
	[0x6f] = "MATCH_REPLACE8",
	[0x70] = "TENSOR_SCALAR_IMM_LD_ARITH",
	[0x71] = "TENSOR_SCALAR_IMM_LD_BITVEC",
	[0x72] = "COPY_PREDICATED",
	[0x73] = "ROI_ALIGN",
	[0x74] = "TENSOR_SCALAR_ADDR",
	[0x76] = "RAND",
	[0x77] = "RAND_GET_STATE",
	[0x78] = "RAND_SET_STATE",
	[0x79] = "EMBEDDING_UPDATE",
	[0x7a] = "LOAD_POOL_ARGUMENT",
	[0x7b] = "TENSOR_DEQUANTIZE",
	[0x7c] = "CROSS_LANE_REDUCE_ARITH",
	[0x7d] = "CROSS_LANE_REDUCE_BITVEC",
	[0x7e] = "IOTA",
	[0x7f] = "DROPOUT",
	[0x81] = "JPEG_DECODE",
	[0x82] = "TRANSPOSE_BATCH_NORM_STATS2",
	[0x83] = "TRANSPOSE_TENSOR_REDUCE_ARITH_OP",
	[0x84] = "TRANSPOSE_TENSOR_REDUCE_BITVEC_OP",
	[0x85] = "CUSTOM_OP_HEADER",
	[0x86] = "CUSTOM_OP_PAYLOAD",
	[0x8e] = "BATCH_NORM_PARAM_LOAD2",
	[0x92] = "TENSOR_SCALAR_AFFINE_SELECT",
	[0x93] = "TRANSPOSE_TENSOR_SCALAR_ARITH_OP",
	[0x94] = "BATCH_NORM_GRAD_ACCUMULATE2",
	[0x95] = "MODIFY_POOL_CONFIG",
	[0x96] = "SORT",
	[0x98] = "TENSOR_SCALAR_SELECT",
	[0x99] = "CAST_PREDICATED",
	[0x9a] = "TENSOR_SCALAR_CACHE_REDUCE",
	[0x9b] = "DVE_READ_ACCUMULATOR",
	[0x9c] = "TENSOR_REDUCE_RANGE_CHECK",
	[0x9d] = "SCALAR_TENSOR_TENSOR_ARITH",
	[0x9e] = "SCALAR_TENSOR_TENSOR_BITVEC",
	[0x9f] = "ENGINE_NOP",
	[0xa0] = "EVENT_SEMAPHORE",
	[0xa1] = "HALT",
	[0xa2] = "DRAIN",
	[0xa3] = "INSTRUCTION_FLUSH",
	[0xa4] = "NOP",
	[0xa5] = "WRITE",
	[0xa6] = "NOTIFY",
	[0xa7] = "MOVE",
	[0xa8] = "ALU_OP",
	[0xa9] = "COMPARE_BRANCH",
	[0xaa] = "TENSOR_LOAD",
	[0xab] = "TENSOR_STORE",
	[0xb0] = "EVENT_SEMAPHORE_RANGE_CLEAR",
	[0xb1] = "SET_ORDERING_MODE",
	[0xb2] = "MOVE_SHAPE",
	[0xb3] = "POLL_SEM",
	[0xb4] = "TEST_EVENT_SEM",
	[0xb5] = "BRANCH_PREFETCH_HINT",
	[0xb7] = "UCODE_CONFIG",
	[0xb8] = "DMA_DIRECT2D",
	[0xbb] = "DMA_INDIRECT",
	[0xbc] = "RANGE_SELECT",
	[0xbd] = "DMA_TRANSPOSE",
	[0xbe] = "GET_SEQUENCE_BOUNDS",
	[0xbf] = "SB2SB_COLLECTIVE",
	[0xc1] = "PSEUDO_DMA_TRIGGER",
	[0xc2] = "PSEUDO_DMA_REARM",
	[0xc3] = "PSEUDO_DMA_BARRIER",
	[0xc4] = "PSEUDO_DMA_MEMCPY_FULL_IND",
	[0xc5] = "PSEUDO_SEMAPHORE_SET",
	[0xc6] = "PSEUDO_LOAD_ACT_FUNC_SET",
	[0xc7] = "PSEUDO_TRIGGER_ALL_REDUCE",
	[0xc8] = "PSEUDO_TRIGGER_COLLECTIVE",
	[0xc9] = "PSEUDO_READ_VAR_ADDR",
	[0xca] = "PSEUDO_EMBEDDING_UPDATE",
	[0xcb] = "PSEUDO_SEND_RECV",
	[0xcc] = "PSEUDO_BRANCH_LABEL",
	[0xcd] = "PSEUDO_TENSOR_STORE",
	[0xce] = "PSEUDO_TENSOR_LOAD",
	[0xcf] = "PSEUDO_DMA_SWAP_QUEUE_SET",
	[0xd0] = "PSEUDO_SET_RNG_SEED",
	[0xd1] = "PSEUDO_FUNCTION_BEGIN",
	[0xd2] = "PSEUDO_FUNCTION_RETURN",
	[0xd3] = "PSEUDO_FUNCTION_CALL",
	[0xd4] = "PSEUDO_DMA_DIRECT2D",
	[0xd5] = "PSEUDO_SYNC_BARRIER",
	[0xd6] = "PSEUDO_RANGE_CHECK",
	[0xd7] = "PSEUDO_JPEG_DECODE",
	[0xd8] = "PSEUDO_CORE_BARRIER",
	[0xd9] = "PSEUDO_TRIGGER_COLLECTIVE_2",
	[0xda] = "PSEUDO_EXTENSION",
	[0xdb] = "PSEUDO_CUR_PROCESSING_RANK_ID",
	[0xdc] = "PSEUDO_GID_LOAD",
	[0xdd] = "PSEUDO_BRANCH_PREFETCH_HINT",
	[0xde] = "PSEUDO_TENSOR_COMPLETION",
	[0xdf] = "PSEUDO_INST",
	[0xe0] = "SPARSITY_COMPRESS",
	[0xe1] = "SPARSITY_COMPRESS_TAG",
	[0xe2] = "RAND2",
	[0xe3] = "QUANTIZE_MX",
	[0xe4] = "CONV_LUT_LOAD",
	[0xe5] = "TENSOR_TENSOR_SCAN_ARITH",
	[0xe6] = "TENSOR_SCALAR_CACHE_CUMULATIVE",
	[0xe7] = "INDIRECT_COPY",
	[0xe8] = "COPY_PREDICATED_SCALAR",
	[0xe9] = "DVE_READ_INDICES",
	[0xea] = "SELECT_REDUCE",
	[0xeb] = "BRANCH_OUTCOME_HINT",
	[0xf0] = "EXTENDED_INST",
	[0xf1] = "DMA_GATHER_TRANSPOSE",
	[0xf2] = "NONZERO_WITH_COUNT",
	[0xff] = "INVALID",
};

/* Numbers and names as in the activation tables a NEFF carries, in capitals as printed. */
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
	case NX_OP_RANGE_CLEAR:
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

static bool starts_with(const char *name, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && memcmp(name, prefix, n) == 0;
}

size_t nx_queue_display_name(const char *name, size_t len, char *out, size_t cap)
{
	/* Made by the runtime, not by a compiler, and shown unchanged. */
	static const char unchanged[] = "qDveTable";
	bool is_unchanged =
		len == sizeof(unchanged) - 1 && memcmp(name, unchanged, sizeof(unchanged) - 1) == 0;
	size_t used = 0;

	if (cap == 0)
		return 0;
	for (size_t i = 0; !is_unchanged && i < sizeof(queue_owners) / sizeof(queue_owners[0]);
	     i++) {
		const char *prefix = queue_owners[i].prefix;
		const char *display = queue_owners[i].display;

		if (!starts_with(name, len, prefix))
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
