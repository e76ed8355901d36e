// SPDX-License-Identifier: Apache-2.0
// Formats numbers for people, without the system's locale. Values are cells: numbers, or decimal
// strings if they have more than 53 bits.

import type { Cell } from "./api/types.ts";

/** Shown instead of a missing value. */
export const NOTHING = "–";

const GROUPS = /\B(?=(\d{3})+(?!\d))/g;

/** "1,234,567"; strings keep all their digits. */
export function formatInteger(value: number | bigint | string): string {
	const text = typeof value === "number" ? String(Math.round(value)) : String(value);
	if (!/^-?\d+$/.test(text)) return text;
	return text.replace(GROUPS, ",");
}

/** At most four significant digits, with thousands separators; an exponent only below 0.0001. */
export function formatNumber(value: number, digits = 4): string {
	if (!Number.isFinite(value)) return NOTHING;
	if (Number.isInteger(value)) return formatInteger(value);
	const size = Math.abs(value);
	if (size >= 10 ** digits) return formatInteger(value);
	if (size !== 0 && size < 1e-4) return value.toExponential(2);
	const rounded = Number(value.toPrecision(digits));
	const [whole = "0", part] = String(rounded).split(".");
	return part ? `${formatInteger(whole)}.${part}` : formatInteger(whole);
}

function scaled(value: number, step: number, units: string[], digits: number): string {
	if (!Number.isFinite(value)) return NOTHING;
	let at = 0;
	let size = value;
	while (Math.abs(size) >= step && at < units.length - 1) {
		size /= step;
		at++;
	}
	// 999.96 ns rounds to "1 µs", not to "1000 ns".
	if (Math.abs(Number(size.toPrecision(digits))) >= step && at < units.length - 1) {
		size /= step;
		at++;
	}
	const text = at === 0 && Number.isInteger(size) ? formatInteger(size) : formatNumber(size,
		digits);
	return `${text} ${units[at]}`;
}

export const formatNs = (ns: number, digits = 4) =>
	scaled(ns, 1000, ["ns", "µs", "ms", "s"], digits);
export const formatSeconds = (seconds: number) => {
	const ns = seconds * 1e9;
	return formatNs(Number.isInteger(seconds) ? ns : Math.round(ns * 1000) / 1000);
};
export const formatBytes = (bytes: number) =>
	scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"], 4);
export const formatRate = (rate: number) =>
	scaled(rate, 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"], 4);
export const formatFlops = (flops: number) =>
	scaled(flops, 1000, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"], 4);
const formatCycles = (cycles: number) => `${formatInteger(cycles)} cycles`;

/** A fraction as a percentage: 0.1234 is "12.3%"; tiny values become "<0.01%". */
export function formatFraction(fraction: number): string {
	if (!Number.isFinite(fraction)) return NOTHING;
	const percent = fraction * 100;
	if (percent !== 0 && Math.abs(percent) < 0.01) return percent < 0 ? ">-0.01%" : "<0.01%";
	return `${formatNumber(percent, 3)}%`;
}

// These two columns are percentages; all others are fractions (docs/schema.md).
const WHOLE_PERCENT = new Set(["util_percent", "used_percent"]);

/** The unit of a column: from the schema, else guessed from its name. */
export function unitOf(name: string, unit = ""): string {
	if (WHOLE_PERCENT.has(name)) return "hundredths";
	if (unit === "percent") return "fraction";
	if (unit) return unit.replaceAll(" ", "_");
	if (/_percent$|^(mfu|hfu|mbu)$/.test(name)) return "fraction";
	if (/_ns$|(^|_)(start|end)_ts$|^timestamp$/.test(name)) return "nanoseconds";
	if (name.endsWith("_bytes")) return "bytes";
	if (/flops(_transpose)?$/.test(name)) return "flops";
	if (/(^|_)(g?ids?|pc|idx|rank|line_number|crc|address)$|^crc_/.test(name)) return "id";
	return "";
}

export function formatByUnit(value: number, unit: string): string {
	switch (unit) {
		case "nanoseconds": return formatNs(value);
		case "seconds": return formatSeconds(value);
		case "bytes": return formatBytes(value);
		case "bytes_per_second": return formatRate(value);
		case "flops": return formatFlops(value);
		case "cycles": return formatCycles(value);
		case "gigahertz": return `${formatNumber(value)} GHz`;
		case "fraction": return formatFraction(value);
		case "hundredths": return formatFraction(value / 100);
		case "id": return String(value);
		default: return formatNumber(value);
	}
}

const isDecimal = (text: string) => /^-?\d{1,30}$/.test(text);

/**
 * A cell as text. Decimal strings without a unit are identifiers or addresses and stay unchanged.
 */
export function formatCell(cell: Cell | undefined, unit = ""): string {
	if (cell === null || cell === undefined || cell === "") return NOTHING;
	if (typeof cell === "boolean") return cell ? "yes" : "no";
	if (Array.isArray(cell)) return cell.map((one) => formatCell(one)).join(", ");
	if (typeof cell === "number") return unit ? formatByUnit(cell, unit) : formatNumber(cell, 6);
	if (unit && unit !== "id" && isDecimal(cell)) return formatByUnit(Number(cell), unit);
	return cell;
}

/** Captures without a version have zeros, and without a commit empty brackets. */
export const formatVersion = (text: string) =>
	text.replace(/ \(\)$/, "").replace(/^0+(\.0+)*$/, "");

/** A time of a clock that started at 0 is no date. */
export const isDate = (text: string) => !text.startsWith("1970-01-01");

/** The exact cell, for tooltips and copies. */
export function exactCell(cell: Cell | undefined, unit = ""): string {
	if (cell === null || cell === undefined) return "";
	if (Array.isArray(cell)) return cell.map((one) => exactCell(one)).join(", ");
	const text = String(cell);
	if (!isDecimal(text) || !unit || unit === "id") return text;
	const words: Record<string, string> = {
		nanoseconds: " ns", bytes: " bytes", seconds: " s", flops: " FLOP", cycles: " cycles",
		bytes_per_second: " B/s",
	};
	return formatInteger(text) + (words[unit] ?? "");
}

/** Converts absolute nanoseconds to nanoseconds since the origin; NaN if there is no value. */
export function sinceOrigin(cell: Cell | undefined, originNs: bigint): number {
	if (typeof cell === "string" && isDecimal(cell)) return Number(BigInt(cell) - originNs);
	if (typeof cell === "number" &&
		Number.isSafeInteger(cell)) return Number(BigInt(cell) - originNs);
	return NaN;
}

/** "model_flops" as "Model FLOPs". */
export function titleOf(name: string): string {
	const plain = name.replace(/_(time|packet|size)_percent$/, "_$1_share").replace(/_(percent|ns)$/,
		"");
	const words = plain.split("_").map((word) => KNOWN[word] ?? word);
	const text = words.join(" ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

const KNOWN: Record<string, string> = {
	dma: "DMA", hbm: "HBM", sbuf: "SBUF", psum: "PSUM", mfu: "MFU", hfu: "HFU", mbu: "MBU", cc: "CC",
	hlo: "HLO", bir: "BIR", nki: "NKI", neff: "NEFF", ntff: "NTFF", flops: "FLOPs",
	ts: "time", pc: "PC", id: "ID", idx: "index", uuid: "UUID", ddr: "DDR", inst: "instruction",
	gpsimd: "GpSimd", cpu: "CPU", vnc: "VNC", lnc: "LNC", avg: "average", mm: "matmul", json: "JSON",
	crc: "CRC", evt: "event", pcore: "core", nc: "core", io: "IO", util: "utilisation", axi: "AXI",
	dram: "DRAM",
};
