// SPDX-License-Identifier: Apache-2.0
// Converts rows of the server's queries to bars and rings.

import { sum, text, type Row } from "../../panels/parts/data.ts";

export interface Slice {
	label: string;
	value: number;
	colour: string; // a CSS variable, or "stripes"
}

export interface Bar {
	label: string;
	slices: Slice[];
}

/** How an engine spent the time, from a row of `utilisation`; the tensor engine has more slices. */
export function utilisationBar(row: Row): Bar {
	const label = `${text(row["engine"])}, core ${text(row["core"])}`;
	const slices = [
		{ label: "Model work", value: sum(row["model_frac"]), colour: "--pn-c3" },
		{ label: "Transposes", value: sum(row["transpose_frac"]), colour: "--pn-c4" },
		{ label: "Active", value: sum(row["other_active_frac"]), colour: "--pn-c1" },
		{ label: "Throttled while active", value: sum(row["throttled_active_frac"]),
			colour: "--pn-c2" },
		{ label: "Throttled while idle", value: sum(row["throttled_idle_frac"]), colour: "--pn-c8" },
		{ label: "Unused", value: sum(row["unused_frac"]), colour: "--line" },
	];
	return { label, slices: row["engine"] === "Tensor" ? slices
		: slices.filter((slice) => slice.label === "Active" || slice.label === "Unused") };
}

/** The fraction of the time in which the engine was active. */
export const activePart = (bar: Bar): number => 1 - bar.slices
	.filter((slice) => slice.label === "Unused" || slice.label === "Throttled while idle")
	.reduce((total, slice) => total + slice.value, 0);

/** HBM traffic and unused bandwidth, from a row of `figures`. */
export function bandwidthSlices(row: Row): Slice[] {
	return [
		{ label: "HBM read", value: sum(row["useful_read_bytes"]), colour: "--pn-c1" },
		{ label: "HBM write", value: sum(row["useful_write_bytes"]), colour: "--pn-c3" },
		{ label: "Spill reload", value: sum(row["spill_reload_bytes"]), colour: "--pn-c5" },
		{ label: "Spill save", value: sum(row["spill_save_bytes"]), colour: "--pn-c2" },
		{ label: "Unused", value: sum(row["unused_bytes"]), colour: "--line" },
	];
}

const DMA_KINDS: Record<string, { label: string; colour: string }> = {
	instruction: { label: "Instructions", colour: "--pn-c7" },
	io: { label: "Inputs and outputs", colour: "--pn-c3" },
	input: { label: "Inputs and outputs", colour: "--pn-c3" },
	output: { label: "Inputs and outputs", colour: "--pn-c3" },
	data: { label: "Weights and data", colour: "--pn-c6" },
	dynamic: { label: "Dynamic", colour: "--pn-c1" },
	static: { label: "Static", colour: "--pn-c6" },
	software_dynamic: { label: "Software dynamic", colour: "--pn-c2" },
	hardware_dynamic: { label: "Hardware dynamic", colour: "--pn-c1" },
	unknown: { label: "Unknown", colour: "--pn-c8" },
	busy: { label: "Busy below peak rate", colour: "stripes" },
};
export const dmaKind = (word: string) => DMA_KINDS[word] ?? DMA_KINDS["unknown"]!;

/** One bar per label, from rows of `dma_utilisation`. */
export function dmaBars(rows: Row[]): Bar[] {
	const bars = new Map<string, Bar>();
	for (const row of rows) {
		const label = text(row["label"]);
		const bar = bars.get(label) ?? { label, slices: [] };
		bars.set(label, bar);
		bar.slices.push({ ...dmaKind(text(row["kind"])), value: sum(row["frac"]) });
	}
	const order = new Intl.Collator("en", { numeric: true });
	return [...bars.values()].sort((a, b) => order.compare(a.label, b.label));
}

/** A round upper end of the scale. */
export function scaleOf(bars: Bar[]): number {
	const longest = Math.max(0,
		...bars.map((bar) => bar.slices.reduce((sum, slice) => sum + slice.value, 0)));
	return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((end) => longest <= end) ?? 1;
}

/** The SVG path of an arc; angles are fractions of a turn, clockwise from the top. */
export function arcPath(from: number, to: number, radius: number, width: number): string {
	const end = Math.min(to, from + 0.99999); // SVG draws nothing if both ends are the same
	const point = (at: number, r: number) => {
		const angle = (at - 0.25) * 2 * Math.PI;
		return `${(r * Math.cos(angle)).toFixed(3)} ${(r * Math.sin(angle)).toFixed(3)}`;
	};
	const large = end - from > 0.5 ? 1 : 0;
	const inner = radius - width;
	return `M${point(from, radius)}A${radius} ${radius} 0 ${large} 1 ${point(end, radius)}` +
		`L${point(end, inner)}A${inner} ${inner} 0 ${large} 0 ${point(from, inner)}Z`;
}
