// SPDX-License-Identifier: Apache-2.0
// The lens of the map: a frame around the visible time range. The range is often far less than a
// pixel, so the frame has a minimum width.

import type { View } from "../contract.ts";
import { clampView, fitView, MIN_SPAN_NS, panView, timeToX } from "./view.ts";

const LEAST_PX = 18; // two grips and as much between them
const GRIP_INSIDE_PX = 5;
const GRIP_OUTSIDE_PX = 6;

/** In pixels of the map. */
export interface Lens {
	from: number; // the frame, in whole pixels
	to: number;
	trueFrom: number; // the exact view
	trueTo: number;
	isWidened: boolean;
}

export function lensOf(view: View, endNs: number, width: number): Lens {
	const whole = fitView(endNs);
	const trueFrom = timeToX(whole, width, view.fromNs), trueTo = timeToX(whole, width, view.toNs);
	const least = Math.min(LEAST_PX, width);
	if (trueTo - trueFrom >= least)
		return { from: Math.round(trueFrom), to: Math.round(trueTo), trueFrom, trueTo,
			isWidened: false };
	const from = Math.round(Math.min(Math.max((trueFrom + trueTo - least) / 2, 0), width - least));
	return { from, to: from + least, trueFrom, trueTo, isWidened: true };
}

export type LensPart = "left" | "right" | "inside" | "outside";

export function lensPartAt(view: View, endNs: number, width: number, x: number): LensPart {
	const { from, to } = lensOf(view, endNs, width);
	if (x < from - GRIP_OUTSIDE_PX || x > to + GRIP_OUTSIDE_PX) return "outside";
	if (x <= from + GRIP_INSIDE_PX) return "left";
	return x < to - GRIP_INSIDE_PX ? "inside" : "right";
}

/**
 * The view after a drag that began with the view `start`. It follows the pointer exactly, even if
 * the frame is wider than the view.
 */
export function dragLens(start: View, part: LensPart, byPx: number, endNs: number,
	width: number): View {
	const byNs = (byPx * endNs) / width;
	if (part === "left")
		return clampView({ ...start,
			fromNs: Math.min(Math.max(start.fromNs + byNs, 0), start.toNs - MIN_SPAN_NS) }, endNs);
	if (part === "right")
		return clampView({ ...start,
			toNs: Math.max(Math.min(start.toNs + byNs, endNs), start.fromNs + MIN_SPAN_NS) }, endNs);
	return panView(start, endNs, byNs);
}
