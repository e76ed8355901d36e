// SPDX-License-Identifier: Apache-2.0
// The figures of the summary page, computed from rows. Pure. Fractions are of the peak over the
// part of time that is looked at.

import type { Cell } from "../../api/types.ts";

type Row = Record<string, Cell>;
const num = (cell: Cell | undefined): number => {
	const value = Number(cell ?? 0);
	return Number.isFinite(value) ? value : 0;
};

export interface Machine {
	peakFlops: number; // of one core, per second
	hbmRate: number; // bytes per second of one stack
	dmaRate: number; // bytes per second of one core's DMA engines together
	dmaEngines: number;
	cores: number;
}

export function machineOf(row: Row): Machine {
	return {
		peakFlops: 2 * num(row["tensor_engine_num_rows"]) * num(row["tensor_engine_num_cols"]) *
			num(row["tensor_engine_clock_freq"]) * 1e9,
		hbmRate: num(row["hbm_ddr_bandwidth"]), dmaRate: num(row["dma_ddr_bandwidth"]),
		dmaEngines: Math.max(1, num(row["num_dma_engines_per_neuroncore"])),
		cores: Math.max(1, num(row["num_physical_cores"])),
	};
}

export interface Slice {
	label: string;
	value: number;
	colour: string; // a variable of the theme
}

export interface Bar {
	label: string;
	slices: Slice[];
}

const part = (value: number, whole: number) => whole > 0 ? Math.max(0, value / whole) : 0;

export interface EngineCosts {
	engine: string; // "Tensor"
	core: string;
	activeNs: number;
	adjustedFlops: number;
	adjustedTranspose: number;
	/** Time weighted by 1 - k/n, within active time and in all. */
	throttledActiveNs: number;
	throttledNs: number;
}

/**
 * How one engine spent the time: a partition of the whole. Only the tensor engine's work is known.
 */
export function utilisationBar(costs: EngineCosts, spanNs: number, machine: Machine): Bar {
	const label = `${costs.engine}, core ${costs.core}`;
	const active = Math.min(1, part(costs.activeNs, spanNs));
	if (costs.engine !== "Tensor")
		return { label, slices: [{ label: "Active", value: active, colour: "--pn-c1" },
			{ label: "Unused", value: 1 - active, colour: "--line" }] };
	const peak = machine.peakFlops * spanNs / 1e9;
	const transpose = Math.min(active, part(costs.adjustedTranspose, peak));
	const model = Math.min(active - transpose,
		part(costs.adjustedFlops - costs.adjustedTranspose, peak));
	const held = Math.min(active - transpose - model, part(costs.throttledActiveNs, spanNs));
	const idleHeld = Math.min(1 - active, part(costs.throttledNs - costs.throttledActiveNs, spanNs));
	return { label, slices: [
		{ label: "Model work", value: model, colour: "--pn-c3" },
		{ label: "Transposes", value: transpose, colour: "--pn-c4" },
		{ label: "Active", value: active - transpose - model - held, colour: "--pn-c1" },
		{ label: "Held back while active", value: held, colour: "--pn-c2" },
		{ label: "Held back while idle", value: idleHeld, colour: "--pn-c8" },
		{ label: "Unused", value: 1 - active - idleHeld, colour: "--line" },
	] };
}

export interface Traffic {
	readBytes: number;
	writeBytes: number;
	reloadBytes: number;
	saveBytes: number;
}

/** What the HBM could have moved, and what it did move it for. */
export function bandwidthSlices(traffic: Traffic, spanNs: number, machine: Machine): Slice[] {
	const available = machine.hbmRate * spanNs / 1e9;
	const used = traffic.readBytes + traffic.writeBytes;
	return [
		{ label: "HBM read", value: Math.max(0, traffic.readBytes - traffic.reloadBytes),
			colour: "--pn-c1" },
		{ label: "HBM write", value: Math.max(0, traffic.writeBytes - traffic.saveBytes),
			colour: "--pn-c3" },
		{ label: "Spill reload", value: traffic.reloadBytes, colour: "--pn-c5" },
		{ label: "Spill save", value: traffic.saveBytes, colour: "--pn-c2" },
		{ label: "Unused", value: Math.max(0, available - used), colour: "--line" },
	];
}

export interface Figures {
	spanNs: number;
	intensity: number | null;
	hfu: number | null;
	mfu: number | null;
	mfuSource: string;
	mbu: number | null;
	usefulRead: number | null;
	availableBytes: number;
	averageDma: number | null;
}

/**
 * Of a part of time, from what the instructions did; matrix work of the model is then not known
 * apart.
 */
export function figuresOf(work: { flops: number; transpose: number; transfers: number;
	bytes: number } & Traffic,
	spanNs: number, machine: Machine): Figures {
	const peak = machine.peakFlops * machine.cores * spanNs / 1e9;
	const moved = work.readBytes + work.writeBytes;
	const available = machine.hbmRate * spanNs / 1e9;
	return {
		spanNs, availableBytes: available,
		intensity: moved > 0 ? (work.flops - work.transpose) / moved : null,
		hfu: peak > 0 ? work.flops / peak : null,
		mfu: peak > 0 ? (work.flops - work.transpose) / peak : null,
		mfuSource: "From the matrix instructions, without transposes.",
		mbu: available > 0 ? moved / available : null,
		usefulRead: work.readBytes > 0 ? (work.readBytes - work.reloadBytes) / work.readBytes : null,
		averageDma: work.transfers > 0 ? work.bytes / work.transfers : null,
	};
}

/** Of the whole profile, as the Summary table has it: the same numbers as everywhere else. */
export function figuresOfSummary(row: Row, machine: Machine): Figures {
	const value = (name: string) => row[name] === null || row[name] === undefined ? null
		: num(row[name]);
	const spanNs = num(row["total_time"]) * 1e9;
	const read = num(row["hbm_read_bytes"]);
	const fromHlo = num(row["mfu_hlo_estimated_percent"]) > 0;
	return {
		spanNs, availableBytes: machine.hbmRate * spanNs / 1e9,
		intensity: value("mm_arithmetic_intensity"), hfu: value("hfu_estimated_percent"),
		mfu: value("mfu_estimated_percent"),
		mfuSource: fromHlo ? "From the compiler's count of the model's operations (HLO)."
			: "From the matrix instructions: the NEFF carries no HLO statistics.",
		mbu: value("mbu_estimated_percent"),
		usefulRead: read > 0 ? (read - num(row["spill_reload_bytes"])) / read : null,
		averageDma: value("dma_transfer_average_bytes") || null, // 0: there were none
	};
}

export interface DmaUse {
	label: string;
	bytes: Map<string, number>; // by kind
	activeNs: number;
	engines: number;
}

/**
 * Solid: share of the bandwidth that was used. Striped: busy beyond that, with small or slow
 * packets.
 */
export function dmaBar(use: DmaUse, spanNs: number, machine: Machine, colours: Map<string,
	string>): Bar {
	const peak = machine.dmaRate / machine.dmaEngines * use.engines * spanNs / 1e9;
	const slices = [...use.bytes].map(([label, bytes]): Slice => ({ label, value: part(bytes, peak),
		colour: colours.get(label) ?? "--pn-c7" }));
	const solid = slices.reduce((sum, slice) => sum + slice.value, 0);
	const striped = Math.max(0, Math.min(1, part(use.activeNs, spanNs * use.engines)) - solid);
	return { label: use.label, slices: [...slices, { label: "Busy beyond", value: striped,
		colour: "stripes" }] };
}

const CLASSES: Record<string, string> = {
	instruction: "Instructions", input: "Inputs and outputs", output: "Inputs and outputs",
		data: "Weights and data",
	software_dynamic: "Dynamic", hardware_dynamic: "Dynamic", unknown: "Unknown",
};
const SOURCES: Record<string, string> = {
	software_dynamic: "Software dynamic", hardware_dynamic: "Hardware dynamic", unknown: "Unknown",
};

export type DmaSplit = "kind" | "source";
export const dmaKind = (queueType: string, split: DmaSplit): string =>
	split === "kind" ? CLASSES[queueType] ?? "Unknown" : SOURCES[queueType] ?? "Static";

/** A round end of a scale that all bars fit in. */
export function scaleOf(bars: Bar[]): number {
	const longest = Math.max(0,
		...bars.map((bar) => bar.slices.reduce((sum, slice) => sum + slice.value, 0)));
	return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((end) => longest <= end) ?? 1;
}

/** An arc of a ring, as an SVG path; angles are parts of the whole, from the top, clockwise. */
export function arcPath(from: number, to: number, radius: number, width: number): string {
	const end = Math.min(to, from + 0.99999); // a whole ring would end where it begins: nothing
	const point = (at: number, r: number) => {
		const angle = (at - 0.25) * 2 * Math.PI;
		return `${(r * Math.cos(angle)).toFixed(3)} ${(r * Math.sin(angle)).toFixed(3)}`;
	};
	const large = end - from > 0.5 ? 1 : 0;
	const inner = radius - width;
	return `M${point(from, radius)}A${radius} ${radius} 0 ${large} 1 ${point(end, radius)}` +
		`L${point(end, inner)}A${inner} ${inner} 0 ${large} 0 ${point(from, inner)}Z`;
}
