// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the visible time range. Pure.

import type { View } from "../contract.ts";

const LEAST_NS = 1; // narrower than this there is nothing to see
const MARGIN = 0.15; // of what is zoomed to, on each side
const SMALL = 1 / 400; // of the view: an event narrower than this is hard to see

/** The view moved and cut so that it lies within the profile. */
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

/** The view in which an event can be seen: the same one if it can be already. */
export function viewToReveal(view: View, fromNs: number, toNs: number, endNs: number): View {
	const width = view.toNs - view.fromNs;
	const duration = Math.max(0, toNs - fromNs);
	const isInside = fromNs >= view.fromNs && toNs <= view.toNs;
	if (isInside && duration >= width * SMALL) return view;
	// Wide enough to see what is around, and not wider than it was.
	const wanted = Math.max(LEAST_NS * 100, Math.min(width, Math.max(duration, 1) * 20),
		duration * 1.3);
	const middle = (fromNs + toNs) / 2;
	return clampView({ fromNs: middle - wanted / 2, toNs: middle + wanted / 2 }, endNs);
}
