// SPDX-License-Identifier: Apache-2.0
// The ticks of an axis and their labels. Steps are 1, 2 or 5 times a power of ten nanoseconds. At a
// deep zoom far from time 0 the axis shows a base time once, and the ticks show offsets from it.

import type { View } from "../contract.ts";
import { formatInteger } from "../format.ts";

export interface Tick {
	timeNs: number;
	label: string;
}

interface Ticks {
	ticks: Tick[];
	base: string; // the labels are offsets from it; "": from 0
}

interface Unit {
	ns: number;
	name: string;
}

const UNITS: Unit[] = [
	{ ns: 1e9, name: "s" }, { ns: 1e6, name: "ms" }, { ns: 1e3, name: "µs" }, { ns: 1, name: "ns" },
];
const NANOSECONDS: Unit = { ns: 1, name: "ns" };

const MAX_DIGITS = 7; // of a label

export function tickStep(spanNs: number, width: number, minPx: number): number {
	const least = Math.max((spanNs * minPx) / Math.max(width, 1), 1);
	const power = Math.pow(10, Math.floor(Math.log10(least) + 1e-12));
	for (const factor of [1, 2, 5])
		if (factor * power >= least * (1 - 1e-9)) return Math.round(factor * power);
	return Math.round(10 * power);
}

const unitOf = (ns: number) => UNITS.find((unit) => Math.abs(ns) >= unit.ns) ?? NANOSECONDS;

/** Exact. */
function inUnit(ns: number, unit: Unit): string {
	const sign = ns < 0 ? "-" : "";
	const size = Math.abs(Math.round(ns));
	const whole = Math.floor(size / unit.ns);
	const rest = size - whole * unit.ns;
	const digits = String(unit.ns).length - 1;
	const part = rest ? `.${String(rest).padStart(digits, "0").replace(/0+$/, "")}` : "";
	return `${sign}${formatInteger(whole)}${part}`;
}

/** The largest unit in which a step needs at most three decimals. */
function axisUnit(stepNs: number, largestNs: number): Unit {
	const fitting = UNITS.find((unit) => unit.ns <= largestNs && stepNs * 1000 >= unit.ns);
	return fitting ?? unitOf(stepNs);
}

export function ticksOf(view: View, width: number, minPx = 110): Ticks {
	const span = view.toNs - view.fromNs;
	const stepNs = tickStep(span, width, minPx);
	const first = Math.ceil(view.fromNs / stepNs) * stepNs;
	let unit = axisUnit(stepNs, view.toNs);
	let baseNs = 0;
	let base = "";
	const digits = inUnit(first + stepNs, unit).replace(/\D/g, "").length;
	if (digits > MAX_DIGITS) {
		unit = unitOf(stepNs);
		const round = Math.pow(10, Math.ceil(Math.log10(span)));
		baseNs = Math.floor(view.fromNs / round) * round;
		base = timeText(baseNs);
	}
	const ticks: Tick[] = [];
	for (let i = 0; i < 1000; i++) {
		const timeNs = first + i * stepNs;
		if (timeNs > view.toNs) break;
		const plus = base ? "+" : "";
		ticks.push({ timeNs, label: `${plus}${inUnit(timeNs - baseNs, unit)} ${unit.name}` });
	}
	return { ticks, base };
}

/** The exact time in its largest unit: "1.234567 s". */
export const timeText = (ns: number) => {
	const unit = unitOf(ns);
	return `${inUnit(ns, unit)} ${unit.name}`;
};

/** "1,176,253 ns". */
export const exactNs = (ns: number) => `${inUnit(ns, NANOSECONDS)} ns`;
