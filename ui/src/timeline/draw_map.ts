// SPDX-License-Identifier: Apache-2.0
// Draws the map, an overview of the whole profile: activity, bands, markers, and the visible time
// range as a lens.

import type { Marker, View } from "../contract.ts";
import type { Batch } from "./cache.ts";
import { bandStyleOf } from "./colours.ts";
import { lensOf, type Lens } from "./lens.ts";
import type { PlacedBand, ThemeColours } from "./scene.ts";
import { fitView, timeToX } from "./view.ts";

export const MAP_HEIGHT = 32;
const GRIP_WIDTH = 3;
const GRIP_HEIGHT = 14;
const ARROW = 4; // height and half the width
const LINE_MOST = 2; // the widest range that is drawn as a line

interface MapScene {
	view: View;
	endNs: number;
	width: number;
	dpr: number;
	colours: ThemeColours;
	markers: Marker[];
	bands: PlacedBand[];
}

/** How busy the tracks of a response are at each pixel of the map, from 0 to 1. */
export function activityOf(batch: Batch, endNs: number, width: number): Float32Array {
	const sums = new Float32Array(width);
	const scale = ((batch.toNs - batch.fromNs) / batch.px) * (width / Math.max(endNs, 1));
	const shift = batch.fromNs * (width / Math.max(endNs, 1));
	let tracks = 0;
	for (const strips of batch.strips.values()) {
		const strip = strips[0];
		if (!strip || strip.kind !== "spans" || !strip.count) continue;
		tracks++;
		for (let i = 0; i < strip.count; i++) {
			const a = strip.x0[i]! * scale + shift, b = Math.max(strip.x1[i]! * scale + shift, a + 0.01);
			const part = strip.busy[i]!;
			for (let x = Math.max(Math.floor(a), 0); x < b && x < width; x++)
				sums[x]! += Math.max(Math.min(b, x + 1) - Math.max(a, x), 0) * part;
		}
	}
	if (tracks) for (let x = 0; x < width; x++) sums[x] = Math.min(sums[x]! / tracks, 1);
	return sums;
}

/** Everything below the lens; redrawn if the data, the theme or the size change. */
export function drawMapGround(ctx: CanvasRenderingContext2D, scene: MapScene,
	activity: Float32Array): void {
	const { width, dpr, colours, endNs } = scene;
	const whole = fitView(endNs);
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.fillStyle = colours.sunken;
	ctx.fillRect(0, 0, width, MAP_HEIGHT);
	let most = 0.05;
	for (const value of activity) if (value > most) most = value;
	ctx.fillStyle = colours.dim;
	const room = MAP_HEIGHT - 6;
	for (let x = 0; x < activity.length; x++) {
		const high = Math.round((activity[x]! / most) * room);
		if (high > 0) ctx.fillRect(x, MAP_HEIGHT - 2 - high, 1, high);
	}
	for (const band of scene.bands) {
		ctx.fillStyle = bandStyleOf(band.band.kind).colour;
		const x = timeToX(whole, width, band.fromNs);
		ctx.fillRect(x, 0, Math.max(timeToX(whole, width, band.toNs) - x, 1), 3);
	}
}

export function drawMap(ctx: CanvasRenderingContext2D, scene: MapScene,
	ground: HTMLCanvasElement): void {
	const { width, dpr, endNs } = scene;
	ctx.setTransform(1, 0, 0, 1, 0, 0);
	ctx.drawImage(ground, 0, 0);
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	for (const marker of scene.markers) {
		ctx.fillStyle = marker.colour;
		ctx.fillRect(Math.round(timeToX(fitView(endNs), width, marker.timeNs)), 0, 1, MAP_HEIGHT);
	}
	drawLens(ctx, scene);
}

function drawLens(ctx: CanvasRenderingContext2D, scene: MapScene): void {
	const { width, colours } = scene;
	const lens = lensOf(scene.view, scene.endNs, width);
	const { from, to } = lens;
	ctx.fillStyle = colours.bg;
	ctx.globalAlpha = 0.62;
	ctx.fillRect(0, 0, from, MAP_HEIGHT);
	ctx.fillRect(to, 0, width - to, MAP_HEIGHT);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = colours.accent;
	ctx.lineWidth = 1;
	ctx.strokeRect(from + 0.5, 0.5, to - from - 1, MAP_HEIGHT - 1);
	ctx.fillStyle = colours.accent;
	const gripTop = (MAP_HEIGHT - GRIP_HEIGHT) / 2;
	for (const x of [from, to - GRIP_WIDTH]) ctx.fillRect(x, gripTop, GRIP_WIDTH, GRIP_HEIGHT);
	if (lens.isWidened) drawTruePlace(ctx, scene, lens);
}

/** If the frame is wider than the view, marks the view's true place by a line or a box. */
function drawTruePlace(ctx: CanvasRenderingContext2D, { width, dpr, colours }: MapScene,
	{ trueFrom, trueTo }: Lens): void {
	const onPixel = (x: number) => Math.round(x * dpr) / dpr;
	const wide = Math.max(onPixel(trueTo) - onPixel(trueFrom), 1);
	const left = Math.min(onPixel(trueFrom), width - wide);
	const middle = left + wide / 2;
	ctx.fillStyle = colours.fg;
	if (wide <= LINE_MOST) ctx.fillRect(left, 0, wide, MAP_HEIGHT);
	for (const [edge, inwards] of [[0, ARROW], [MAP_HEIGHT, -ARROW]] as const) {
		if (wide > LINE_MOST) {
			ctx.fillRect(left, edge, wide, inwards);
			continue;
		}
		ctx.beginPath(); // arrowheads make the thin line easy to find
		ctx.moveTo(middle - ARROW, edge);
		ctx.lineTo(middle + ARROW, edge);
		ctx.lineTo(middle, edge + inwards);
		ctx.fill();
	}
}
