// SPDX-License-Identifier: Apache-2.0
// The scene: everything that the painters need, read-only.

import type { Band, EventSummary } from "../api/types.ts";
import type { Box, Marker, View } from "../contract.ts";
import type { Batch, Piece, TileCache } from "./cache.ts";
import type { Paint, Theme } from "./colours.ts";
import type { Grid } from "./grid.ts";
import type { Inks } from "./inks.ts";
import type { Layout } from "./layout.ts";
import type { CounterStrip, SpanStrip } from "./tile.ts";

/** Colours of the page's theme, from the style sheet. */
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

/** An event with its exact times. */
export interface PlacedEvent {
	track: number;
	depth: number;
	fromNs: number;
	toNs: number;
}

export interface PlacedBand {
	band: Omit<Band, "kind"> & { kind: Band["kind"] | "unrecorded" };
	fromNs: number;
	toNs: number;
}

/** A dependency of the selected event. */
export interface Link {
	event: PlacedEvent;
	isPredecessor: boolean;
	summary: EventSummary;
}

export interface Scene {
	view: View; // on the grid
	grid: Grid; // in device pixels
	endNs: number;
	width: number;
	height: number;
	dpr: number;
	scroll: number;
	layout: Layout;
	colours: ThemeColours;
	paints: Paint[];
	inks: Inks;
	textFromPx: number; // narrower bars have no text
	level: number;
	column: string; // whose values colour the spans
	cache: TileCache;
	marks: TileCache;
	hasSearch: boolean;
	/** What spans are drawn from: the cache, or the hits alone if the search is a filter. */
	spans: { cache: TileCache; column: string };
	isFiltered: boolean;
	highlights: TileCache;
	hasHighlight: boolean;
	/** An index into paints for each item of a strip. */
	huesOf(strip: SpanStrip): Uint8Array;
	nameOf(id: number): string | undefined;
	counterHue(track: number): number;
	/** The value at the top of a counter's row. */
	counterTop(track: number, isCumulative: boolean): number;
	/** The mean from time 0 to each pixel; null while it is being loaded. */
	cumulativeOf(strip: CounterStrip, batch: Batch): Float32Array | null;
	counterText(track: number, value: number): string;
	bands: PlacedBand[];
	gaps: PlacedBand[]; // labelled on the axis
	pieces: Piece[]; // scratch
}

/** What changes with the pointer and the selection. */
export interface OverlayScene extends Scene {
	selected: PlacedEvent | null;
	hovered: PlacedEvent | null;
	links: Link[];
	markers: Marker[];
	box: Box | null;
	/** The current drag, in pixels. */
	drag: { kind: "zoom" | "box"; x0: number; x1: number; y0: number; y1: number } | null;
	cursorX: number | null; // shown on the axis
}
