/* SPDX-License-Identifier: Apache-2.0 */
#include "model/metrics.h"

#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Of every engine: number of instructions, their time added up, and wall time. */
#define ENGINE(word, name)                                                                         \
	{word "_engine_instruction_count", word "_engine", "count",                                \
	 "How many instructions the " name " engine ran inside the measured window, added over "   \
	 "the physical cores."},                                                                   \
		{word "_engine_instruction_time", word "_engine", "s",                             \
		 "End minus start, summed over the " name                                          \
		 " instructions (all but the pure semaphore ones). Where two overlap the time "    \
		 "is in it twice, so it can exceed total_time."},                                  \
		{word "_engine_active_time", word "_engine", "s",                                  \
		 "Wall time in which the " name                                                    \
		 " engine of at least one core worked: the intervals of its instructions merged "  \
		 "into one line, pure semaphore instructions left out."},                          \
	{                                                                                          \
		word "_engine_active_time_percent", word "_engine", "fraction",                    \
			word "_engine_active_time over total_time. The engine with the largest "   \
			     "value is the first place to look for a compute limit."               \
	}

/* The same six numbers for each class of DMA packets. */
#define DMA_CLASS(class, group, kind)                                                              \
	{class "_dma_packet_count", group, "count", "Packets moved by " kind "."},                 \
		{class "_dma_packet_percent", group, "fraction",                                   \
		 class "_dma_packet_count over all DMA packets."},                                 \
		{class "_dma_size", group, "bytes", "Bytes moved by " kind "."},                   \
		{class "_dma_size_percent", group, "fraction",                                     \
		 class "_dma_size over the bytes of all DMA packets."},                            \
		{class "_dma_active_time", group, "s",                                             \
		 "Wall time with a packet in flight that was moved by " kind "."},                 \
	{                                                                                          \
		class "_dma_active_time_percent", group, "fraction",                               \
			class "_dma_active_time over dma_active_time, not over total_time. "       \
			      "Classes overlap, so the shares can add up to more than 1."          \
	}

#define QUEUE(pattern, spelling, owner, cargo)                                                     \
	{                                                                                          \
		pattern, "dma_queue", "",                                                          \
			"Queues named q" owner spelling "…: the " owner                            \
			" engine rings them to move " cargo "."                                    \
	}

#define QUEUES_OF(word, owner, pio)                                                                \
	QUEUE("q" word "ioparam*", "IOParam", owner, "weights"),                                   \
		QUEUE("q" word pio "*", "PIO", owner, "the inputs and outputs of the model"),      \
		QUEUE("q" word "spillreload*", "SpillReload", owner,                               \
		      "intermediates that did not fit into SBUF out to HBM and back")

const struct nx_metric_definition nx_metrics[] = {
	{"total_time", "overall_stats", "s",
	 "Length of the measured window: from the start mark to the end mark that the runtime put "
	 "around this execution. Idle gaps are in it, work of the host is not."},
	{"neuroncore_cycle_count", "overall_stats", "cycles",
	 "total_time in ticks of the core's base clock (1.4 GHz on Trn1 and Inf2, 1.2 GHz on "
	 "Trn2). The tensor engine's array runs at twice that clock."},
	{"model_flops", "overall_stats", "flop",
	 "Work the model itself asks for: two operations per multiply-accumulate that the compiler "
	 "counted in the HLO graph. 0 when the NEFF carries no HLO statistics, as with a bare "
	 "kernel."},
	{"hardware_flops", "overall_stats", "flop",
	 "Work the tensor engine really did: two operations for each active row, active column and "
	 "moved element of every MATMUL, transposes included."},
	{"transpose_flops", "overall_stats", "flop",
	 "The part of hardware_flops spent on MATMULs that only transpose data, by the compiler's "
	 "debug records. Many of them hint at an unlucky tensor layout."},
	{"mm_arithmetic_intensity", "overall_stats", "flop/byte",
	 "Matrix work per byte of HBM traffic: model_flops (or hardware_flops minus "
	 "transpose_flops when that is 0) over bytes read from and written to HBM."},
	{"peak_flops_bandwidth_ratio", "overall_stats", "flop/byte",
	 "Ridge point of one physical core: its peak flop rate over its HBM bandwidth. An "
	 "intensity "
	 "below it means that memory is the limit, above it that arithmetic is. With two cores per "
	 "logical core compare with twice this value."},
	{"trace_count", "overall_stats", "count",
	 "Trace entries that made it into this profile: instructions, event records, DMA packets "
	 "and transfers."},
	{"event_count", "overall_stats", "count",
	 "Records of the event ring: changes of semaphores and events. Captures before version 6 "
	 "count the ones outside the window as well."},

	{"total_active_time", "summary", "s",
	 "Wall time during which anything at all ran: any engine or any DMA packet, overlaps "
	 "merged."},
	{"total_active_time_percent", "summary", "fraction",
	 "total_active_time over total_time. What is missing to 1 is time in which the whole core "
	 "stood still."},

	{"dma_active_time", "data_movement", "s",
	 "Wall time in which data was moving: the packets of all DMA engines laid over each "
	 "other."},
	{"dma_active_time_percent", "data_movement", "fraction",
	 "dma_active_time over total_time. Near 1 with idle engines: the program waits for data."},
	{"dma_active_cycles", "data_movement", "cycles",
	 "dma_active_time in ticks of the core's base clock."},
	{"dma_packet_time", "data_movement", "s",
	 "Durations of all packets added up over the DMA engines; divided by dma_active_time it "
	 "tells how many packets were in flight at once."},
	{"dma_queue_count", "data_movement", "count",
	 "Pairs of DMA engine and queue that the capture declares, added over the physical cores."},
	{"dma_transfer_count", "data_movement", "count",
	 "Transfers seen: one for each static DMA block that was triggered, and for each dynamic "
	 "DMA if DGE notifications were captured. Absent when there is none."},
	{"dma_transfer_total_bytes", "data_movement", "bytes",
	 "Payload of all transfers, without the four-byte packets that only bump a semaphore."},
	{"dma_transfer_average_bytes", "data_movement", "bytes",
	 "dma_transfer_total_bytes over dma_transfer_count. Small transfers cannot fill the DMA "
	 "engines; some 32 KiB and more is a good size."},
	{"dma_transfer_time", "data_movement", "s",
	 "Durations of all transfers added up, each from its first packet's start to its last "
	 "packet's end."},
	DMA_CLASS(
		"static", "data_movement",
		"descriptors fixed before the run: the compiler's, and the runtime's own for code "
		"and tables"),
	{"dynamic_dma_packet_percent", "data_movement", "fraction",
	 "Share of packets whose descriptors were made during the run, by software or hardware."},
	{"dynamic_dma_size_percent", "data_movement", "fraction",
	 "Share of DMA bytes whose descriptors were made during the run."},
	{"dynamic_dma_active_time_percent", "data_movement", "fraction",
	 "software_dynamic_dma_active_time_percent plus hardware_dynamic_dma_active_time_percent."},
	{"hbm_read_bytes", "data_movement", "bytes",
	 "Bytes that DMAs of this program took out of HBM. Copies between host and device are "
	 "not in it."},
	{"hbm_write_bytes", "data_movement", "bytes",
	 "Bytes that DMAs of this program put into HBM."},
	{"mbu_estimated_percent", "data_movement", "fraction",
	 "Memory bandwidth utilisation: HBM bytes read and written, over what one HBM stack could "
	 "have moved in total_time."},
	{"mbu_min_read_util_percent", "data_movement", "fraction",
	 "The utilisation that reading each input and weight exactly once would give. Far below "
	 "mbu_estimated_percent: data is fetched again and again."},
	{"inputs_and_weights_size_bytes", "data_movement", "bytes",
	 "Size of all inputs and weights as the NEFF declares them: the least a run must read."},
	{"inputs_outputs_weights_size_bytes", "data_movement", "bytes",
	 "Size of all inputs, outputs and weights as the NEFF declares them: the least a run must "
	 "move."},
	{"weight_size_bytes", "data_movement", "bytes",
	 "Room that the constants in the NEFF take (weights and small tables), each counted once."},
	{"input_queue_bytes", "data_movement", "bytes",
	 "Bytes moved by static blocks on queues the compiler reserved for model inputs."},
	{"output_queue_bytes", "data_movement", "bytes",
	 "Bytes moved by static blocks on queues the compiler reserved for model outputs."},
	{"weight_queue_bytes", "data_movement", "bytes",
	 "Bytes moved by static blocks on queues of the kind \"data\". Divide by weight_size_bytes "
	 "to see how often weights travel."},
	{"sbuf_read_bytes", "data_movement", "bytes",
	 "Bytes taken from SBUF. An operand of an instruction counts the bytes of one partition, "
	 "a DMA counts all it moves; use it to compare runs, not as a rate."},
	{"sbuf_write_bytes", "data_movement", "bytes",
	 "Bytes put into SBUF, counted like sbuf_read_bytes."},
	{"psum_read_bytes", "data_movement", "bytes",
	 "Bytes that instructions took from PSUM, for one partition."},
	{"psum_write_bytes", "data_movement", "bytes",
	 "Bytes that instructions put into PSUM, for one partition; a MATMUL counts in the type of "
	 "its source."},
	{"psum_read_sbuf_write_bytes", "data_movement", "bytes",
	 "Bytes of results moved from PSUM into SBUF, for one partition, in the type they arrive "
	 "in."},
	{"psum_read_sbuf_write_count", "data_movement", "count",
	 "Instructions that read PSUM and write SBUF, i.e. that clear room for the next "
	 "matrix products."},
	{"spill_save_bytes", "data_movement", "bytes",
	 "Bytes of intermediates written to HBM because SBUF was full."},
	{"spill_reload_bytes", "data_movement", "bytes",
	 "Bytes of such intermediates read back; each reading counts. Compare with hbm_read_bytes "
	 "to see what smaller tiles could save."},

	DMA_CLASS("software_dynamic", "software_data_movement",
		  "descriptors that software on the GpSimd engine made during the run"),
	DMA_CLASS("hardware_dynamic", "hardware_data_movement",
		  "descriptors that a descriptor generation engine made during the run"),

	ENGINE("tensor", "Tensor"),
	{"matmul_instruction_count", "tensor_engine", "count",
	 "MATMUL instructions, transposes included. A product in fp32 takes several passes and "
	 "each is an instruction."},
	{"hfu_estimated_percent", "tensor_engine", "fraction",
	 "Hardware flop utilisation: hardware_flops over the flops that the tensor engines of all "
	 "physical cores could do in total_time at bf16 rate."},
	{"mfu_estimated_percent", "tensor_engine", "fraction",
	 "Model flop utilisation: mfu_hlo_estimated_percent when HLO statistics exist, otherwise "
	 "mfu_inst_estimated_percent."},
	{"mfu_hlo_estimated_percent", "tensor_engine", "fraction",
	 "model_flops over the peak of all physical cores in total_time; 0 without HLO "
	 "statistics."},
	{"mfu_inst_estimated_percent", "tensor_engine", "fraction",
	 "hardware_flops without transpose_flops over the peak of all physical cores in "
	 "total_time."},
	{"mfu_max_achievable_estimated_percent", "tensor_engine", "fraction",
	 "Ceiling that HBM bandwidth puts on mfu_estimated_percent: arithmetic intensity over the "
	 "ridge point of all physical cores, at most 1. A utilisation far below its ceiling has "
	 "another cause than bandwidth."},
	{"mfu_hlo_max_achievable_estimated_percent", "tensor_engine", "fraction",
	 "The same ceiling for mfu_hlo_estimated_percent, from model_flops."},
	{"mfu_inst_max_achievable_estimated_percent", "tensor_engine", "fraction",
	 "The same ceiling for mfu_inst_estimated_percent, from hardware_flops without "
	 "transpose_flops."},

	ENGINE("vector", "Vector"),
	ENGINE("scalar", "Scalar"),
	{"activate_instruction_count", "scalar_engine", "count",
	 "ACTIVATE and ACTIVATE_QUANTIZE instructions: nonlinear functions over a tensor."},
	{"activate_instruction_time", "scalar_engine", "s",
	 "Durations of the instructions in activate_instruction_count added up."},
	ENGINE("sync", "Sync"),
	ENGINE("gpsimd", "GpSimd"),

	{"cc_op_count", "cc_engine", "count", "Collective operations, such as an all-reduce."},
	{"cc_op_time", "cc_engine", "s", "Durations of all collective operations added up."},
	{"cc_op_active_time", "cc_engine", "s",
	 "Wall time that collective operations cover, overlaps merged."},
	{"cc_op_active_time_percent", "cc_engine", "fraction",
	 "cc_op_active_time over total_time. How much of it is hidden behind computing shows in "
	 "the engines' activity at the same time."},
	{"cc_cores_instruction_count", "cc_engine", "count",
	 "Instructions run by the cores that drive collectives."},
	{"cc_cores_instruction_time", "cc_engine", "s",
	 "Durations of the collective cores' instructions added up."},
	{"cc_cores_instruction_active_time", "cc_engine", "s",
	 "Wall time during which a collective core ran an instruction."},
	{"cc_cores_instruction_active_time_percent", "cc_engine", "fraction",
	 "cc_cores_instruction_active_time over total_time."},

	{"instance_type", "system", "", "Kind of machine the capture was taken on."},
	{"nd_idx", "system", "index",
	 "Number of the Neuron device (chip) on its machine. Added over the physical cores of a "
	 "logical core, so read it from model_info when there are two."},
	{"nc_idx", "system", "index",
	 "Number of the NeuronCore. Added over the physical cores of a logical core (cores 4 and 5 "
	 "show 9), so read it from model_info when there are two."},
	{"runtime_version", "system", "",
	 "Neuron runtime that recorded the capture, with the start of its commit."},
	{"driver_version", "system", "", "Neuron kernel driver of the machine."},
	{"collectives_version", "system", "", "Collectives library of the machine."},
	{"compiler_version", "system", "", "Compiler that made the NEFF; empty without one."},
	{"profiler_version", "system", "", "Program that made this profile from the capture."},
	{"ultraserver_id", "system", "", "Which UltraServer the machine is part of, if any."},
	{"ultraserver_type", "system", "", "Kind of that UltraServer."},
	{"ultraserver_size", "system", "count", "How many machines form that UltraServer."},
	{"ultraserver_instance_index", "system", "index",
	 "Place of this machine among those of its UltraServer."},

	{"s3_bucket_path", "server_upload", "",
	 "Where the files of the profile were uploaded to; absent when nothing was uploaded."},

	QUEUES_OF("gpsimd", "GpSimd", "pio"),
	QUEUES_OF("scalar", "Scalar", "pio"),
	QUEUES_OF("sync", "Sync", "pio0"),
	QUEUES_OF("vector", "Vector", "pio"),
};
const size_t nx_metric_count = COUNT(nx_metrics);

#define THROTTLE(cause, reason)                                                                    \
	{"throttle_" cause "_active_time_nc%u_percent", "throttling_nc%u", "fraction",             \
	 "Share of physical core %u's time in which the last throttle record named " reason        \
	 ", whether or not it limited anything."},                                                 \
	{                                                                                          \
		"throttle_" cause "_avg_util_limit_nc%u_percent", "throttling_nc%u", "fraction",   \
			"Utilisation that throttle records naming " reason                         \
			" allowed physical core %u, averaged by time; 1 is no limit."              \
	}

const struct nx_metric_definition nx_core_metrics[] = {
	{"throttle_active_nc%u_time_ns", "throttling_nc%u", "ns",
	 "Time in which throttling held the tensor engine of physical core %u below full rate."},
	{"throttle_avg_util_limit_nc%u_percent", "throttling_nc%u", "fraction",
	 "Limit k/n of physical core %u, weighted by time, over the whole span up to its last "
	 "instruction. Time before the first throttle record counts as 0, so a short capture shows "
	 "less than the true limit."},
	THROTTLE("activity_0", "activity monitor 0"),
	THROTTLE("activity_1", "activity monitor 1"),
	THROTTLE("activity_2", "activity monitor 2"),
	THROTTLE("activity_3", "activity monitor 3"),
	THROTTLE("gpio_0", "external signal 0"),
	THROTTLE("gpio_1", "external signal 1"),
	THROTTLE("gpio_2", "external signal 2"),
	THROTTLE("gpio_3", "external signal 3"),
	THROTTLE("gpio_4", "external signal 4"),
	THROTTLE("gpio_5", "external signal 5"),
	THROTTLE("gpio_6", "external signal 6"),
	THROTTLE("gpio_7", "external signal 7"),
	THROTTLE("periodic", "the periodic limiter"),
	THROTTLE("sw_0", "software request 0"),
	THROTTLE("sw_1", "software request 1"),
};
const size_t nx_core_metric_count = COUNT(nx_core_metrics);

/* The order with one physical core; each further core inserts a throttling group. */
const struct nx_metric_group nx_metric_groups[] = {
	{"overall_stats", 0},
	{"data_movement", 1},
	{"software_data_movement", 2},
	{"hardware_data_movement", 3},
	{"tensor_engine", 4},
	{"vector_engine", 5},
	{"scalar_engine", 6},
	{"sync_engine", 7},
	{"gpsimd_engine", 8},
	{"cc_engine", 9},
	{"system", 10},
	{"throttling_nc%u", 11},
	{"server_upload", 12},
	{"summary", -1},
	{"dma_queue", -1},
};
const size_t nx_metric_group_count = COUNT(nx_metric_groups);

const struct nx_term nx_terms[] = {
	{"access pattern", "How an operand walks through memory: a start address and up to four "
			   "pairs of step and count, the fastest first."},
	{"active time",
	 "Length of the union of intervals: overlapping work counts once. Never more "
	 "than the measured window."},
	{"arithmetic intensity", "Operations done per byte moved to or from HBM."},
	{"BIR", "The compiler's last intermediate form; a BIR instruction becomes one or a few "
		"instruction words."},
	{"block", "A list of static DMA descriptors that one trigger starts."},
	{"capture", "One recording of a device: an NTFF file, with the NEFF it ran."},
	{"CC core", "Small processor that drives collective operations beside the NeuronCore."},
	{"collective", "Operation in which several workers exchange data, such as an all-reduce."},
	{"compiler pc", "Position of an instruction in the NEFF's stream, before the runtime added "
			"its own words."},
	{"CRC", "16-bit checksum of the data an instruction or a packet handled; equal data gives "
		"equal values in two runs."},
	{"descriptor", "What tells a DMA engine from where to where and how much to copy."},
	{"DGE",
	 "Descriptor generation engine: makes descriptors during the run, from an instruction "
	 "instead of from a prepared list."},
	{"DMA engine", "Copies data between memories. A NeuronCore has 16, each with 16 queues."},
	{"DVE", "Older name of the Vector engine."},
	{"dynamic DMA",
	 "A copy whose descriptors are made during the run, by GpSimd software or by "
	 "a DGE."},
	{"engine", "One of the five processors of a NeuronCore (Tensor, Vector, Scalar, GpSimd, "
		   "Sync). Each runs its own stream; only semaphores order them."},
	{"event", "A flag with two states that engines set and wait for; see also semaphore."},
	{"GpSimd engine",
	 "Eight general processors for what the other engines cannot do. Compilers "
	 "call it Pool."},
	{"HAM", "Hardware activity monitor: watches the tensor engine's load and writes throttle "
		"records."},
	{"HBM", "The device's main memory, outside the core. Fast, but by far not as fast as "
		"SBUF."},
	{"HFU", "Hardware flop utilisation: all matrix work done, useful or not, over the peak."},
	{"HLO", "The graph form of a model that XLA hands to the compiler."},
	{"layer", "Path of the framework's module an instruction was compiled from."},
	{"LNC", "Logical NeuronCore: one or two physical cores that run one program together and "
		"appear as one core."},
	{"MBU", "Memory bandwidth utilisation: HBM bytes moved over what was possible."},
	{"MFU", "Model flop utilisation: matrix work the model needs over the peak."},
	{"NEFF", "File with a compiled model: instruction streams, descriptors, weights, debug "
		 "records."},
	{"NeuronCore", "The unit that runs a program: five engines, SBUF, PSUM and DMA engines."},
	{"NKI", "Neuron Kernel Interface: kernels written by hand in Python."},
	{"notification",
	 "16-byte record that hardware writes into a ring: something started, ended "
	 "or changed."},
	{"NTFF", "File with the recording of one run: rings, code images and clocks."},
	{"packet", "The smallest copy a capture shows: one piece on one DMA engine and queue."},
	{"partition", "One of the 128 lanes of SBUF and PSUM; the first axis of a tensor lies "
		      "across them."},
	{"PE", "Processing element array: the 128 by 128 multiply-accumulate grid, and an older "
	       "name of the Tensor engine."},
	{"pending DMA", "Copies that were triggered and have not been seen to finish."},
	{"penguin", "The compiler's tensor-level form, between HLO and BIR."},
	{"PSUM",
	 "Memory of 128 partitions by 16 KiB in eight banks, where the tensor engine adds up "
	 "its results."},
	{"queue", "Ordered list of work of a DMA engine. Its name tells which engine rings it and "
		  "what it carries."},
	{"ring", "Buffer in device memory that hardware fills with notifications. When it wraps, "
		 "records are lost."},
	{"SBUF", "State buffer: the core's working memory, 128 partitions of 192 KiB (Trn1, Inf2), "
		 "224 KiB (Trn2) or 256 KiB (Trn3)."},
	{"Scalar engine", "Computes nonlinear functions, element by element. Compilers call it "
			  "Activation."},
	{"semaphore", "A counter engines and DMAs change and wait for: the only thing that orders "
		      "engines."},
	{"slot", "Room of one 64-byte instruction word in a stream."},
	{"spill",
	 "Moving an intermediate from SBUF to HBM because room is short; reading it back is "
	 "a reload."},
	{"static DMA", "A copy whose descriptors were ready before the run."},
	{"subgraph", "The program of one physical core inside a NEFF: sg00, sg01."},
	{"Sync engine", "Runs no arithmetic: waits, triggers DMAs and branches. Compilers call it "
			"SP."},
	{"Tensor engine",
	 "Multiplies matrices on its PE array. A timeline shows the array itself as "
	 "a second row, TensorMatrix."},
	{"throttling", "Holding the tensor engine to k of n cycles to protect power and "
		       "temperature."},
	{"transfer", "What a user means by a copy: all packets of one triggered block together."},
	{"trigger", "The instruction that starts a DMA block by writing to its queue."},
	{"Vector engine", "Computes over whole tensors: elementwise, reductions, copies out of "
			  "PSUM. Compilers call it DVE."},
	{"wait time", "How long an instruction stood ready until its semaphore condition held."},
};
const size_t nx_term_count = COUNT(nx_terms);

static size_t append(char *out, size_t cap, size_t used, const char *text, size_t len)
{
	if (len > cap - 1 - used)
		len = cap - 1 - used;
	memcpy(out + used, text, len);
	return used + len;
}

size_t nx_metric_expand(const char *text, unsigned core, char *out, size_t cap)
{
	char number[16];
	size_t used = 0;
	const char *mark;

	if (cap == 0)
		return 0;
	snprintf(number, sizeof(number), "%u", core);
	while ((mark = strstr(text, "%u")) != NULL) {
		used = append(out, cap, used, text, (size_t)(mark - text));
		used = append(out, cap, used, number, strlen(number));
		text = mark + 2;
	}
	used = append(out, cap, used, text, strlen(text));
	out[used] = '\0';
	return used;
}
