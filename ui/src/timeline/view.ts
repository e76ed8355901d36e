// SPDX-License-Identifier: Apache-2.0
// The visible time range: zooming, panning, and conversion between times and pixels. The edges of a
// view may be fractions of a nanosecond, so that panning stays smooth when a nanosecond is wider
// than a pixel. Subtract before scaling, to keep precision far from time 0.

import type { View } from "../contract.ts";

/** The shortest time range a view may have. */
export const MIN_SPAN_NS = 10;

export const spanOf = (view: View) => view.toNs - view.fromNs;

/** The view limited to the profile, and not shorter than MIN_SPAN_NS. */
export function clampView(view: View, endNs: number): View {
	const whole = Math.max(endNs, MIN_SPAN_NS);
	const middle = view.fromNs + (view.toNs - view.fromNs) / 2;
	const wanted = view.toNs - view.fromNs;
	const span = Math.min(Math.max(wanted, MIN_SPAN_NS), whole);
	let fromNs = span === wanted ? view.fromNs : middle - span / 2;
	fromNs = Math.min(Math.max(fromNs, 0), whole - span);
	return { fromNs, toNs: fromNs + span };
}

export const fitView = (endNs: number): View => clampView({ fromNs: 0, toNs: endNs }, endNs);

/** Factors below 1 zoom in; atNs keeps its place on the screen. */
export function zoomAbout(view: View, endNs: number, atNs: number, factor: number): View {
	const whole = Math.max(endNs, MIN_SPAN_NS);
	const span = Math.min(Math.max(spanOf(view) * factor, MIN_SPAN_NS), whole);
	const share = (atNs - view.fromNs) / spanOf(view);
	const fromNs = atNs - share * span;
	return clampView({ fromNs, toNs: fromNs + span }, endNs);
}

export function panView(view: View, endNs: number, deltaNs: number): View {
	return clampView({ fromNs: view.fromNs + deltaNs, toNs: view.toNs + deltaNs }, endNs);
}

/** A time range with a margin on both sides. */
export function viewAround(fromNs: number, toNs: number, endNs: number, margin = 0.15): View {
	const room = Math.max((toNs - fromNs) * margin, MIN_SPAN_NS / 4);
	return clampView({ fromNs: fromNs - room, toNs: toNs + room }, endNs);
}

export function timeToX(view: View, width: number, timeNs: number): number {
	return ((timeNs - view.fromNs) * width) / spanOf(view);
}

/** Not rounded to nanoseconds. */
export function xToTime(view: View, width: number, x: number): number {
	return view.fromNs + (x * spanOf(view)) / width;
}

/** The time at a pixel, in whole nanoseconds within the profile. */
export function momentAt(view: View, width: number, x: number, endNs: number): number {
	return Math.min(Math.max(Math.round(xToTime(view, width, x)), 0), endNs);
}

/** Absolute time, for requests. */
export function absoluteNs(originNs: bigint, timeNs: number): bigint {
	const absolute = originNs + BigInt(Math.round(timeNs));
	return absolute < 0n ? 0n : absolute; // before a rank began
}

/** A time of the server, relative to the origin. */
export const relativeNs = (originNs: bigint, text: string) => Number(BigInt(text) - originNs);

export type Step = "in" | "out" | "left" | "right" | "pageLeft" | "pageRight" | "fit" | "start" |
	"end";

const ZOOM_STEP = 0.7;
const PAN_STEP = 0.15;

/** The view after a key or button; zooms about atNs (default: the middle). */
export function stepView(view: View, endNs: number, step: Step, atNs?: number): View {
	const span = spanOf(view);
	const about = atNs ?? view.fromNs + span / 2;
	switch (step) {
		case "in": return zoomAbout(view, endNs, about, ZOOM_STEP);
		case "out": return zoomAbout(view, endNs, about, 1 / ZOOM_STEP);
		case "left": return panView(view, endNs, -span * PAN_STEP);
		case "right": return panView(view, endNs, span * PAN_STEP);
		case "pageLeft": return panView(view, endNs, -span * 0.9);
		case "pageRight": return panView(view, endNs, span * 0.9);
		case "start": return panView(view, endNs, -view.fromNs);
		case "end": return panView(view, endNs, endNs - view.toNs);
		case "fit": return fitView(endNs);
	}
}

/** A view between two others, at progress 0 to 1; the zoom changes by a constant factor. */
export function blendViews(from: View, to: View, progress: number): View {
	if (progress >= 1) return to;
	const a = spanOf(from), b = spanOf(to);
	const span = a * Math.pow(b / a, progress);
	// Derived from the span, so that both edges move steadily.
	const share = Math.abs(b - a) < 1e-9 * a ? progress : (span - a) / (b - a);
	const fromNs = from.fromNs + (to.fromNs - from.fromNs) * share;
	return { fromNs, toNs: fromNs + span };
}
