// SPDX-License-Identifier: Apache-2.0
// Parts of time that deserve a look (/insights): drawn behind the spans, over the rows they are
// about, or over all when they name none.

import { screenY, type PlacedRow } from "./layout.ts";
import type { PlacedBand, Scene } from "./scene.ts";
import { timeToX } from "./view.ts";

interface BandStyle {
	fill: string;
	edge: string;
	label: string;
}

export const BAND_STYLES: Record<string, BandStyle> = {
	small_dma: { fill: "rgba(230, 159, 0, 0.16)", edge: "rgba(230, 159, 0, 0.75)", label: "Small DMA transfers" },
	reload: { fill: "rgba(213, 94, 0, 0.16)", edge: "rgba(213, 94, 0, 0.85)", label: "Repeated load" },
	throttling: { fill: "rgba(86, 140, 233, 0.15)", edge: "rgba(86, 140, 233, 0.55)", label: "Throttling" },
	collective: { fill: "rgba(204, 187, 120, 0.14)", edge: "rgba(204, 187, 120, 0.7)", label: "Collective" },
	barrier: { fill: "rgba(150, 158, 170, 0.16)", edge: "rgba(150, 158, 170, 0.7)", label: "Barrier" },
};

const OTHER = BAND_STYLES["barrier"]!;

/** Narrower bands are widened to be seen. */
const MIN_PX = 2;

/** Runs of neighbouring rows a band lies on: one box each. */
export function bandRuns(band: PlacedBand, rows: PlacedRow[]): [PlacedRow, PlacedRow][] {
	const tracks = band.band.tracks;
	const runs: [PlacedRow, PlacedRow][] = [];
	for (const placed of rows) {
		const isMeant = !tracks.length || placed.row.tracks.some((track) => tracks.includes(track.id));
		if (!isMeant) continue;
		const last = runs[runs.length - 1];
		if (last && last[1].index === placed.index - 1) last[1] = placed;
		else runs.push([placed, placed]);
	}
	return runs;
}

export function drawBands(ctx: CanvasRenderingContext2D, scene: Scene, rows: PlacedRow[]): void {
	const { view, width, scroll } = scene;
	for (const band of scene.bands) {
		if (band.toNs < view.fromNs || band.fromNs > view.toNs) continue;
		const style = BAND_STYLES[band.band.kind] ?? OTHER;
		const from = Math.max(timeToX(view, width, band.fromNs), -2);
		const to = Math.min(Math.max(timeToX(view, width, band.toNs), from + MIN_PX), width + 2);
		for (const [first, last] of bandRuns(band, rows)) {
			const top = screenY(first, scroll);
			const height = screenY(last, scroll) + last.height - top - 1;
			ctx.fillStyle = style.fill;
			ctx.fillRect(from, top, to - from, height);
			ctx.strokeStyle = style.edge;
			ctx.lineWidth = 1;
			if (to - from <= 3) continue;
			ctx.strokeRect(Math.round(from) + 0.5, top + 0.5, Math.round(to - from) - 1, height - 1);
		}
	}
}

/** The topmost band at a moment, on a row if it is about rows. */
export function bandAt(bands: PlacedBand[], timeNs: number, slackNs: number,
	placed: PlacedRow | null): PlacedBand | null {
	for (let i = bands.length - 1; i >= 0; i--) {
		const band = bands[i]!;
		if (timeNs < band.fromNs - slackNs || timeNs > band.toNs + slackNs) continue;
		const { tracks } = band.band;
		if (!tracks.length || placed?.row.tracks.some((track) => tracks.includes(track.id))) return band;
	}
	return null;
}
