// SPDX-License-Identifier: Apache-2.0
// The scene: everything the painters need to know, read-only.

import type { Band, EventSummary } from "../api/types.ts";
import type { Box, Marker, View } from "../contract.ts";
import type { Batch, Piece, TileCache } from "./cache.ts";
import type { Paint, Theme } from "./colours.ts";
import type { Grid } from "./grid.ts";
import type { Inks } from "./inks.ts";
import type { Layout } from "./layout.ts";
import type { CounterStrip, SpanStrip } from "./tile.ts";

/** Colours of the page's theme, as the style sheet says. */
export interface ThemeColours {
	theme: Theme;
	bg: string;
	raised: string;
	sunken: string;
	fg: string;
	dim: string;
	line: string;
	accent: string;
	sans: string;
	mono: string;
}

/** A span whose place in time is known exactly. */
export interface PlacedEvent {
	track: number;
	depth: number;
	fromNs: number;
	toNs: number;
}

export interface PlacedBand {
	band: Band;
	fromNs: number;
	toNs: number;
}

/** A dependency as it is drawn: from the end of one to the start of the other. */
export interface Link {
	event: PlacedEvent;
	isPredecessor: boolean;
	summary: EventSummary;
}

export interface Scene {
	view: View; // on the grid
	grid: Grid; // in pixels of the device
	endNs: number;
	width: number;
	height: number;
	dpr: number;
	scroll: number;
	layout: Layout;
	colours: ThemeColours;
	paints: Paint[];
	inks: Inks;
	/** Bars narrower than this have no text; while things move only wide ones have, to save time. */
	textFromPx: number;
	level: number;
	column: string; // that spans are coloured by
	cache: TileCache;
	marks: TileCache;
	hasSearch: boolean;
	highlights: TileCache;
	hasHighlight: boolean;
	/** Index into paints for each item of a strip. */
	huesOf(strip: SpanStrip): Uint8Array;
	nameOf(id: number): string | undefined;
	counterHue(track: number): number;
	/** What a counter's row is drawn against; grows with what was seen. */
	counterTop(track: number, isCumulative: boolean): number;
	/**
	 * Means from the profile's beginning to each pixel; null while it is not known what was before.
	 */
	cumulativeOf(strip: CounterStrip, batch: Batch): Float32Array | null;
	counterText(track: number, value: number): string;
	bands: PlacedBand[];
	pieces: Piece[]; // scratch
}

/** What moves with the pointer and the selection, drawn above. */
export interface OverlayScene extends Scene {
	selected: PlacedEvent | null;
	hovered: PlacedEvent | null;
	links: Link[];
	markers: Marker[];
	box: Box | null;
	/** While dragging: from and to in pixels; "zoom" or "box". */
	drag: { kind: "zoom" | "box"; x0: number; x1: number; y0: number; y1: number } | null;
	cursorX: number | null; // shown on the axis
}
