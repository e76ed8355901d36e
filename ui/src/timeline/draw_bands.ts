// SPDX-License-Identifier: Apache-2.0
// Behind the spans: the colour of a row, grid lines, and parts of time that deserve a look
// (/insights) on the rows they are about, or on all when they name none. All lines of pixels of a
// row are the same, so one is made and repeated. Pure.

import { bandStyleOf } from "./colours.ts";
import { pixelOf } from "./grid.ts";
import { screenY, type Layout, type PlacedRow } from "./layout.ts";
import { mixInks, type Pixels } from "./pixels.ts";
import type { PlacedBand, Scene } from "./scene.ts";
import { ticksOf } from "./ticks.ts";

/** Narrower bands are widened to be seen; those without room have no edges. */
const MIN_PX = 2;
const EDGES_FROM_PX = 4;
const GRID_SHARE = 154;

const share = (part: number) => Math.round(part * 256);

const isMeant = (band: PlacedBand, placed: PlacedRow) => !band.band.tracks.length ||
	placed.row.tracks.some((track) => band.band.tracks.includes(track.id));

/** Runs of neighbouring rows a band lies on: one box each. */
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

/** Which bands lie where: the same until rows or bands change. */
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

// reused: there are dozens of rows in a frame
let ground = new Uint32Array(0);
let line = new Uint32Array(0);

export function paintGround(pixels: Pixels, scene: Scene, rows: PlacedRow[]): void {
	const { width } = pixels;
	if (line.length !== width) {
		ground = new Uint32Array(width);
		line = new Uint32Array(width);
	}
	const { inks, dpr, grid } = scene;
	const px = (value: number) => Math.round(value * dpr);
	const ticks = ticksOf(scene.view, scene.width).ticks.map((tick) => pixelOf(grid, tick.timeNs));
	const { byRow } = boxesOf(scene.layout, scene.bands);
	let isGroup: boolean | null = null;
	for (const placed of rows) {
		if (isGroup !== (placed.row.kind === "group")) {
			isGroup = placed.row.kind === "group";
			ground.fill(isGroup ? inks.raised : inks.bg);
			for (const x of ticks)
				if (x >= 0 && x < width) ground[x] = mixInks(ground[x]!, inks.line, GRID_SHARE);
		}
		line.set(ground);
		for (const band of byRow[placed.index]!) paintBand(line, scene, band);
		const top = px(screenY(placed, scene.scroll));
		const bottom = px(screenY(placed, scene.scroll) + placed.height);
		pixels.lines(line, top, bottom - top);
		pixels.rect(0, bottom - px(1), width, px(1), inks.line);
	}
	paintBoxEdges(pixels, scene, rows);
}

/** From and to in pixels; null when the view does not have it. */
function extentOf(scene: Scene, band: PlacedBand): [number, number] | null {
	if (band.toNs < scene.view.fromNs || band.fromNs > scene.view.toNs) return null;
	const from = pixelOf(scene.grid, band.fromNs);
	return [from, Math.max(pixelOf(scene.grid, band.toNs), from + MIN_PX)];
}

function paintBand(into: Uint32Array, scene: Scene, band: PlacedBand): void {
	const extent = extentOf(scene, band);
	if (!extent) return;
	const [from, to] = extent;
	const ink = scene.inks.bands[band.band.kind] ?? scene.inks.bands["barrier"]!;
	const style = bandStyleOf(band.band.kind);
	const fill = share(style.fill), edge = share(style.edge);
	const hasEdges = to - from >= EDGES_FROM_PX;
	for (let x = Math.max(from, 0); x < to && x < into.length; x++)
		into[x] = mixInks(into[x]!, ink, hasEdges && (x === from || x === to - 1) ? edge : fill);
}

function paintBoxEdges(pixels: Pixels, scene: Scene, rows: PlacedRow[]): void {
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

/** The topmost band at a moment, on a row if it is about rows. */
export function bandAt(bands: PlacedBand[], timeNs: number, slackNs: number,
	placed: PlacedRow | null): PlacedBand | null {
	for (let i = bands.length - 1; i >= 0; i--) {
		const band = bands[i]!;
		if (timeNs < band.fromNs - slackNs || timeNs > band.toNs + slackNs) continue;
		if (!band.band.tracks.length || (placed && isMeant(band, placed))) return band;
	}
	return null;
}
