// SPDX-License-Identifier: Apache-2.0
// Places allocations of the state buffer on a map of addresses over time.

import type { Cell } from "../../api/types.ts";

export interface Allocation {
	fromNs: number;
	toNs: number;
	low: number;
	high: number;
	isDma: boolean;
	row: Record<string, Cell>;
}

export interface MapArea {
	left: number;
	top: number;
	width: number;
	height: number;
	fromNs: number;
	toNs: number;
	low: number;
	high: number;
}

export interface Rect {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** The allocation's rectangle on the map, at least a pixel wide; null if it is outside. */
export function rectOf(one: Allocation, area: MapArea): Rect | null {
	if (one.toNs < area.fromNs || one.fromNs > area.toNs) return null;
	const x = (ns: number) => area.left +
		(Math.max(area.fromNs, Math.min(area.toNs, ns)) - area.fromNs) /
		Math.max(1, area.toNs - area.fromNs) * area.width;
	const y = (address: number) => area.top + area.height -
		(address - area.low) / Math.max(1, area.high - area.low) * area.height;
	const x0 = x(one.fromNs);
	const y1 = y(one.low);
	const y0 = y(one.high);
	return { x: x0, y: y0, width: Math.max(1, x(one.toNs) - x0), height: Math.max(2, y1 - y0) };
}

/** The smallest allocation at a point. */
export function allocationAt(list: Allocation[], area: MapArea, x: number,
	y: number): Allocation | null {
	let best: Allocation | null = null;
	let size = Infinity;
	for (const one of list) {
		const rect = rectOf(one, area);
		if (!rect || x < rect.x || x > rect.x + rect.width || y < rect.y || y > rect.y +
			rect.height) continue;
		if (rect.width * rect.height < size) {
			best = one;
			size = rect.width * rect.height;
		}
	}
	return best;
}

/** The range of used addresses, rounded to whole steps. */
export function addressRange(list: Allocation[], step = 0x2000): [number, number] {
	let low = Infinity;
	let high = 0;
	for (const one of list) {
		low = Math.min(low, one.low);
		high = Math.max(high, one.high);
	}
	if (low > high) return [0, step];
	return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

/** About `count` round values between two bounds. */
export function ticks(low: number, high: number, count: number, base: 2 | 10): number[] {
	const rough = (high - low) / Math.max(1, count);
	if (!(rough > 0)) return [low];
	let step: number;
	if (base === 2) step = 2 ** Math.ceil(Math.log2(rough));
	else {
		const power = 10 ** Math.floor(Math.log10(rough));
		step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
	}
	const list: number[] = [];
	for (let value = Math.ceil(low / step) * step; value <= high; value += step) list.push(value);
	return list;
}
