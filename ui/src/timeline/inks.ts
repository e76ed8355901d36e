// SPDX-License-Identifier: Apache-2.0
// The colours of a timeline as numbers, for painting pixel by pixel.

import { BAND_STYLES, HIGHLIGHT_COLOUR, HIT_COLOUR, type Paint } from "./colours.ts";
import { parseInk, type Ink } from "./pixels.ts";
import type { ThemeColours } from "./scene.ts";

export interface Inks {
	bg: Ink;
	raised: Ink;
	line: Ink;
	accent: Ink;
	hit: Ink;
	highlight: Ink;
	fills: Uint32Array;
	edges: Uint32Array;
	bands: Record<string, Ink>;
}

export function inksOf(colours: ThemeColours, paints: Paint[]): Inks {
	return {
		bg: parseInk(colours.bg), raised: parseInk(colours.raised), line: parseInk(colours.line),
		accent: parseInk(colours.accent), hit: parseInk(HIT_COLOUR),
		highlight: parseInk(HIGHLIGHT_COLOUR),
		fills: Uint32Array.from(paints, (paint) => parseInk(paint.fill)),
		edges: Uint32Array.from(paints, (paint) => parseInk(paint.edge)),
		bands: Object.fromEntries(Object.entries(BAND_STYLES)
			.map(([kind, { colour }]) => [kind, parseInk(colour)])),
	};
}
