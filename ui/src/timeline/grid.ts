// SPDX-License-Identifier: Apache-2.0
// A grid of whole pixels, counted from time 0: a time maps to the same pixel wherever the view
// starts, so panning only moves the picture.

import type { View } from "../contract.ts";

export interface Grid {
	nsPerPx: number;
	firstPx: number; // at the left edge of the view
}

/** Panning changes the last bits of a view's length; rounding keeps the zoom constant. */
export function gridOf(view: View, widthPx: number): Grid {
	const nsPerPx = Math.fround((view.toNs - view.fromNs) / Math.max(widthPx, 1));
	return { nsPerPx, firstPx: Math.round(view.fromNs / nsPerPx) };
}

/** The view moved by less than a pixel, to start on the grid. */
export function viewOnGrid({ nsPerPx, firstPx }: Grid, widthPx: number): View {
	return { fromNs: firstPx * nsPerPx, toNs: (firstPx + widthPx) * nsPerPx };
}

export const pixelOf = ({ nsPerPx, firstPx }: Grid, timeNs: number) =>
	Math.round(timeNs / nsPerPx) - firstPx;
