// SPDX-License-Identifier: Apache-2.0
// Explanations of general terms.

export const TERMS: readonly (readonly [string, string])[] = [
	["Active time", "Time during which an engine was working. Overlapping instructions count " +
		"once; waiting does not count."],
	["Arithmetic intensity", "Matrix operations per byte read from or written to HBM. Below the " +
		"ridge point the program is memory bound, above it compute bound."],
	["Collective (CC)", "An operation across several cores, such as an all-reduce. It runs on " +
		"the CC-cores."],
	["DGE", "Descriptor generation engine: hardware that generates DMA descriptors while the " +
		"program runs."],
	["DMA packet", "The smallest copy in a capture: one block of data on one DMA engine and one " +
		"queue."],
	["DMA transfer", "All packets of one triggered block: one copy in the compiler's sense. " +
		"Small transfers cannot saturate the DMA engines; aim for 32 KiB or more."],
	["Dynamic DMA", "A DMA whose descriptors are generated at run time, by hardware (DGE) or by " +
		"software on the GpSimd engine."],
	["Engine", "One of a core's five processors: Tensor (matrix products), Vector (elementwise " +
		"and reductions), Scalar (activation functions), GpSimd (general code), Sync (control)."],
	["HBM", "Device memory next to the chip. Data must be copied from HBM into SBUF before the " +
		"engines can work on it."],
	["HFU", "Hardware FLOPs utilisation: all matrix work, transposes included, relative to the " +
		"peak of the tensor engines."],
	["Logical core (LNC)", "The physical cores a program sees as one. LNC2 means two."],
	["MBU", "Memory bandwidth utilisation: HBM bytes moved, relative to what one HBM stack could " +
		"have moved in that time."],
	["MFU", "Model FLOPs utilisation: the matrix work the model requires, relative to the peak " +
		"of the tensor engines. From HLO statistics if the NEFF has them, else from instructions " +
		"without transposes."],
	["NEFF", "The compiled model."],
	["NKI", "Neuron Kernel Interface: kernels written by hand. Their instructions carry their " +
		"source line."],
	["NTFF", "The session file: what a device recorded while it ran a model."],
	["PC", "Program counter: the index of an instruction's 64-byte slot in its engine's code."],
	["PSUM", "On-chip memory in which the tensor engine accumulates its products: 128 " +
		"partitions, eight banks."],
	["Queue", "An ordered list of DMA work. Its name says which engine triggers it and what it " +
		"carries."],
	["Reload factor", "Bytes loaded of a tensor, divided by its size. 1 is ideal; above 2, check " +
		"why it did not stay on the chip."],
	["SBUF", "State buffer: on-chip memory of 128 partitions that all engines work on."],
	["Semaphore", "A counter that engines and queues use to wait for each other."],
	["Spill", "Intermediates written to HBM because SBUF was full (save), and read back later " +
		"(reload)."],
	["Throttling", "A limit on the tensor engine's activity to k of n cycles, to stay within " +
		"power and thermal limits."],
	["Transpose FLOPs", "Matrix work that only transposes data. It counts towards HFU but not " +
		"MFU; a large share suggests an unfavourable data layout."],
];
