// SPDX-License-Identifier: Apache-2.0
// Whole pixels, counted from the start of the profile: a time maps to the same pixel wherever the
// view starts, so panning moves the picture instead of changing it. Pure.

import type { View } from "../contract.ts";

export interface Grid {
	nsPerPx: number;
	/** The pixel at the left edge of the view. */
	firstPx: number;
}

/** Spans of a view that was moved differ in their last bits; rounded, they are one zoom. */
export function gridOf(view: View, widthPx: number): Grid {
	const nsPerPx = Math.fround((view.toNs - view.fromNs) / Math.max(widthPx, 1));
	return { nsPerPx, firstPx: Math.round(view.fromNs / nsPerPx) };
}

/** The view moved by less than a pixel, so that it begins on the grid. */
export function viewOnGrid({ nsPerPx, firstPx }: Grid, widthPx: number): View {
	return { fromNs: firstPx * nsPerPx, toNs: (firstPx + widthPx) * nsPerPx };
}

/** On the screen, in whole pixels. */
export const pixelOf = ({ nsPerPx, firstPx }: Grid, timeNs: number) =>
	Math.round(timeNs / nsPerPx) - firstPx;
