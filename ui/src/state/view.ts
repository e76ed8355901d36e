// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the visible time range.

import type { View } from "../contract.ts";

const LEAST_NS = 1;
const MARGIN = 0.15; // on each side, as a fraction of the range
const SMALL = 1 / 400; // events narrower than this fraction of the view are hard to see

/** The view moved and shortened to lie within the profile. */
export function clampView(view: View, endNs: number): View {
	const end = Math.max(endNs, LEAST_NS);
	const width = Math.min(end, Math.max(LEAST_NS, view.toNs - view.fromNs));
	const fromNs = Math.min(Math.max(0, view.fromNs), end - width);
	return { fromNs, toNs: fromNs + width };
}

/** A view that shows a time range with a margin around it. */
export function viewAround(fromNs: number, toNs: number, endNs: number): View {
	const width = Math.max(toNs - fromNs, LEAST_NS);
	const margin = width * MARGIN;
	return clampView({ fromNs: fromNs - margin, toNs: fromNs + width + margin }, endNs);
}

/** A view in which an event is visible; the given one if it already is. */
export function viewToReveal(view: View, fromNs: number, toNs: number, endNs: number): View {
	const width = view.toNs - view.fromNs;
	const duration = Math.max(0, toNs - fromNs);
	const isInside = fromNs >= view.fromNs && toNs <= view.toNs;
	if (isInside && duration >= width * SMALL) return view;
	// Show some context, but do not zoom out.
	const wanted = Math.max(LEAST_NS * 100, Math.min(width, Math.max(duration, 1) * 20),
		duration * 1.3);
	const middle = (fromNs + toNs) / 2;
	return clampView({ fromNs: middle - wanted / 2, toNs: middle + wanted / 2 }, endNs);
}
