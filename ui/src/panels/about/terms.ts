// SPDX-License-Identifier: Apache-2.0
// The words a reader of a profile meets, explained in a sentence or two.

export const TERMS: readonly (readonly [string, string])[] = [
	["Active time", "Time in which an engine worked. Overlapping instructions count once, pure " +
		"waits do not count."],
	["Arithmetic intensity",
		"Matrix operations per byte read from or written to HBM. Below the ridge point memory is the " +
			"limit, above it arithmetic."],
	["Collective (CC)", "An operation in which several cores take part, such as an all-reduce. " +
		"CC-cores carry it out."],
	["DGE", "Descriptor generation engine: hardware that makes DMA descriptors while the program " +
		"runs."],
	["DMA packet", "The smallest copy a capture shows: one piece, on one DMA engine and one queue."],
	["DMA transfer", "All packets of one triggered block: the copy the compiler meant. Small " +
		"transfers cannot fill the DMA engines; 32 KiB and more is a good size."],
	["Dynamic DMA", "A DMA whose descriptors are made during the run, by hardware (DGE) or by " +
		"software on the GpSimd engine."],
	["Engine", "One of a core's five processors: Tensor (matrix products), Vector (elementwise and " +
		"reductions), Scalar (activation functions), GpSimd (general code), Sync (control)."],
	["HBM", "Device memory beside the chip. Everything the engines work on must first be copied " +
		"from it into SBUF."],
	["HFU", "Hardware FLOPs utilisation: all matrix work done, transposes included, over the peak " +
		"of the tensor engines."],
	["Logical core (LNC)", "The physical cores a program sees as one. LNC2 means two."],
	["MBU", "Memory bandwidth utilisation: HBM bytes moved, relative to what one HBM stack " +
		"could have moved in that time."],
	["MFU", "Model FLOPs utilisation: the matrix work the model asks for over the peak of the " +
		"tensor engines. From HLO statistics if the NEFF has them, else from instructions without " +
		"transposes."],
	["NEFF", "The compiled model."],
	["NKI", "Neuron Kernel Interface: kernels written by hand. Their instructions know their line " +
		"of source."],
	["NTFF", "The session file: what a device recorded while it ran a model."],
	["PC", "Program counter: the number of an instruction's 64-byte slot in its engine's code."],
	["PSUM", "On-chip memory into which the tensor engine adds its products: 128 partitions, eight " +
		"banks."],
	["Queue", "An ordered list of DMA work. Its name tells who rings it and what it carries."],
	["Reload factor", "Bytes of a tensor that were loaded over its size. 1 is ideal; above 2 it is " +
		"worth asking why it did not stay on the chip."],
	["SBUF", "State buffer: on-chip memory of 128 partitions that all engines work on."],
	["Semaphore", "A counter by which engines and queues wait for each other."],
	["Spill", "Intermediates written to HBM because SBUF was full (save), and read back later " +
		"(reload)."],
	["Throttling", "A limit on the tensor engine's activity: k of n cycles, for power and heat."],
	["Transpose FLOPs", "Matrix work that only turns data. It counts for HFU and not for MFU; much " +
		"of it hints at an unlucky layout."],
];
