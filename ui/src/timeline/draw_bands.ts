// SPDX-License-Identifier: Apache-2.0
// Paints what is below the spans: background, grid lines, and the bands of /insights on the rows
// they concern (on all rows if they name none). All pixel lines of a row are the same, so one is
// made and repeated.

import { BAND_STYLES, bandStyleOf } from "./colours.ts";
import { pixelOf } from "./grid.ts";
import { screenY, type Layout, type PlacedRow } from "./layout.ts";
import { mixInks, type Pixels } from "./pixels.ts";
import type { PlacedBand, Scene } from "./scene.ts";
import { ticksOf } from "./ticks.ts";

const MIN_PX = 2; // narrower bands are widened
const EDGES_FROM_PX = 4; // narrower bands have no edges
const GRID_SHARE = 154;

const share = (part: number) => Math.round(part * 256);

const isMeant = (band: PlacedBand, placed: PlacedRow) => !band.band.tracks.length ||
	placed.row.tracks.some((track) => band.band.tracks.includes(track.id));

/** Runs of neighbouring rows that a band covers; each is one box. */
export function bandRuns(band: PlacedBand, rows: PlacedRow[]): [PlacedRow, PlacedRow][] {
	const runs: [PlacedRow, PlacedRow][] = [];
	for (const placed of rows) {
		if (!isMeant(band, placed)) continue;
		const last = runs[runs.length - 1];
		if (last && last[1].index === placed.index - 1) last[1] = placed;
		else runs.push([placed, placed]);
	}
	return runs;
}

interface Boxes {
	bands: PlacedBand[];
	byRow: PlacedBand[][]; // by index of the row
	runs: Map<PlacedBand, [PlacedRow, PlacedRow][]>;
}

const kept = new WeakMap<Layout, Boxes>();

/** Which bands cover which rows; cached until rows or bands change. */
function boxesOf(layout: Layout, bands: PlacedBand[]): Boxes {
	const known = kept.get(layout);
	if (known?.bands === bands) return known;
	const boxes: Boxes = {
		bands, byRow: layout.rows.map((placed) => bands.filter((band) => isMeant(band, placed))),
		runs: new Map(bands.map((band) => [band, bandRuns(band, layout.rows)])),
	};
	kept.set(layout, boxes);
	return boxes;
}

/** Makes the background line of each row; reuses memory between frames. */
export class Ground {
	private plain = new Uint32Array(0);
	private group = new Uint32Array(0);
	private line = new Uint32Array(0);
	private covered = new Uint8Array(0); // a bit for each kind of band
	private byRow: PlacedBand[][] = [];

	begin(scene: Scene, width: number): void {
		if (this.line.length !== width) {
			this.plain = new Uint32Array(width);
			this.group = new Uint32Array(width);
			this.line = new Uint32Array(width);
			this.covered = new Uint8Array(width);
		}
		this.plain.fill(scene.inks.bg);
		this.group.fill(scene.inks.raised);
		for (const { timeNs } of ticksOf(scene.view, scene.width).ticks) {
			const x = pixelOf(scene.grid, timeNs);
			if (x < 0 || x >= width) continue;
			this.plain[x] = mixInks(this.plain[x]!, scene.inks.line, GRID_SHARE);
			this.group[x] = mixInks(this.group[x]!, scene.inks.line, GRID_SHARE);
		}
		this.byRow = boxesOf(scene.layout, scene.bands).byRow;
	}

	/** Valid until the next call. */
	lineOf(scene: Scene, placed: PlacedRow): Uint32Array {
		const ground = placed.row.kind === "group" ? this.group : this.plain;
		const bands = this.byRow[placed.index]!;
		if (!bands.length) return ground;
		this.line.set(ground);
		this.covered.fill(0);
		for (const band of bands) paintBand(this.line, this.covered, scene, band);
		return this.line;
	}
}

/** From and to in pixels; null if the band is not in view. */
function extentOf(scene: Scene, band: PlacedBand): [number, number] | null {
	if (band.toNs < scene.view.fromNs || band.fromNs > scene.view.toNs) return null;
	const from = pixelOf(scene.grid, band.fromNs);
	return [from, Math.max(pixelOf(scene.grid, band.toNs), from + MIN_PX)];
}

const KINDS = Object.keys(BAND_STYLES);

/** Overlapping bands of one kind (of two cores, for example) are not darker than one. */
function paintBand(into: Uint32Array, covered: Uint8Array, scene: Scene, band: PlacedBand): void {
	const extent = extentOf(scene, band);
	if (!extent) return;
	const [from, to] = extent;
	const ink = scene.inks.bands[band.band.kind] ?? scene.inks.bands["barrier"]!;
	const style = bandStyleOf(band.band.kind);
	const fill = share(style.fill), edge = share(style.edge);
	const hasEdges = to - from >= EDGES_FROM_PX;
	const bit = 1 << Math.max(KINDS.indexOf(band.band.kind), 0);
	for (let x = Math.max(from, 0); x < to && x < into.length; x++) {
		const isEdge = hasEdges && (x === from || x === to - 1);
		if (!isEdge && covered[x]! & bit) continue;
		covered[x]! |= bit;
		into[x] = mixInks(into[x]!, ink, isEdge ? edge : fill);
	}
}

/** Paints upper and lower edges; the lines contain those at the sides. */
export function paintBoxEdges(pixels: Pixels, scene: Scene, rows: PlacedRow[]): void {
	const first = rows[0]?.index ?? 0, last = rows[rows.length - 1]?.index ?? -1;
	const { runs } = boxesOf(scene.layout, scene.bands);
	for (const band of scene.bands) {
		const extent = extentOf(scene, band);
		if (!extent || extent[1] - extent[0] < EDGES_FROM_PX) continue;
		const ink = scene.inks.bands[band.band.kind] ?? scene.inks.bands["barrier"]!;
		const edge = share(bandStyleOf(band.band.kind).edge);
		const [from, wide] = [extent[0], extent[1] - extent[0]];
		for (const [upper, lower] of runs.get(band) ?? []) {
			if (lower.index < first || upper.index > last) continue;
			const top = Math.round(screenY(upper, scene.scroll) * scene.dpr);
			const bottom = Math.round((screenY(lower, scene.scroll) + lower.height) * scene.dpr);
			pixels.blend(from, top, wide, 1, ink, edge);
			pixels.blend(from, bottom - 2, wide, 1, ink, edge);
		}
	}
}

/** The topmost band at a time and row. */
export function bandAt(bands: PlacedBand[], timeNs: number, slackNs: number,
	placed: PlacedRow | null): PlacedBand | null {
	for (let i = bands.length - 1; i >= 0; i--) {
		const band = bands[i]!;
		if (timeNs < band.fromNs - slackNs || timeNs > band.toNs + slackNs) continue;
		if (!band.band.tracks.length || (placed && isMeant(band, placed))) return band;
	}
	return null;
}
