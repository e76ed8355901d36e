// SPDX-License-Identifier: Apache-2.0
// The lens of the map: the part of the profile on screen, which is often far less than a pixel. Its
// frame has a minimum width and may be wider than the view; a line then marks the view itself.
// Pure.

import type { View } from "../contract.ts";
import { clampView, fitView, MIN_SPAN_NS, panView, timeToX } from "./view.ts";

/** Two grips and as much between them. */
const LEAST_PX = 18;
const GRIP_INSIDE_PX = 5;
const GRIP_OUTSIDE_PX = 6;

/** In pixels of the map. */
export interface Lens {
	from: number; // the frame, in whole ones
	to: number;
	trueFrom: number; // what it shows, exactly
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
 * The view after a drag, from the view at its beginning: as far along the profile as the pointer
 * went along the map, however wide the frame is drawn. A drag that comes back changes nothing.
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
