// SPDX-License-Identifier: Apache-2.0
// The axis (ticks, flags of markers, the time under the pointer) and, above it, the whole profile
// in small with the part on screen as a lens.

import type { Marker, View } from "../contract.ts";
import type { Batch } from "./cache.ts";
import { bandStyleOf } from "./colours.ts";
import type { PlacedBand, ThemeColours } from "./scene.ts";
import { exactNs, ticksOf } from "./ticks.ts";
import { fitView, timeToX, xToTime } from "./view.ts";

export const AXIS_HEIGHT = 36;
export const MAP_HEIGHT = 32;
const FLAG_HEIGHT = 14;

export interface AxisScene {
	view: View;
	width: number;
	dpr: number;
	colours: ThemeColours;
	markers: Marker[];
	cursorX: number | null;
}

export function drawAxis(ctx: CanvasRenderingContext2D, scene: AxisScene): void {
	const { view, width, dpr, colours } = scene;
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.fillStyle = colours.raised;
	ctx.fillRect(0, 0, width, AXIS_HEIGHT);
	const { ticks, base } = ticksOf(view, width);
	ctx.font = `11px ${colours.sans}`;
	ctx.textBaseline = "alphabetic";
	ctx.textAlign = "left";
	let labelFrom = 0;
	if (base) {
		ctx.fillStyle = colours.fg;
		ctx.fillText(base, 4, AXIS_HEIGHT - 6);
		labelFrom = ctx.measureText(base).width + 12;
	}
	for (const { timeNs, label } of ticks) {
		const x = Math.round(timeToX(view, width, timeNs));
		ctx.fillStyle = colours.line;
		ctx.fillRect(x, AXIS_HEIGHT - 18, 1, 18);
		if (x + 4 < labelFrom || x + ctx.measureText(label).width + 4 > width) continue;
		ctx.fillStyle = colours.dim;
		ctx.fillText(label, x + 4, AXIS_HEIGHT - 6);
	}
	ctx.fillStyle = colours.line;
	ctx.fillRect(0, AXIS_HEIGHT - 1, width, 1);
	scene.markers.forEach((marker) => drawFlag(ctx, scene, marker));
	if (scene.cursorX !== null) drawCursorTime(ctx, scene, scene.cursorX);
}

function drawFlag(ctx: CanvasRenderingContext2D, scene: AxisScene, marker: Marker): void {
	const x = Math.round(timeToX(scene.view, scene.width, marker.timeNs));
	if (x < -40 || x > scene.width) return;
	ctx.font = `600 10px ${scene.colours.sans}`;
	const text = marker.name.length > 18 ? `${marker.name.slice(0, 17)}…` : marker.name;
	const width = ctx.measureText(text).width + 8;
	ctx.fillStyle = marker.colour;
	ctx.fillRect(x, 0, 1, AXIS_HEIGHT);
	ctx.beginPath();
	ctx.roundRect(x, 1, width, FLAG_HEIGHT, [0, 3, 3, 0]);
	ctx.fill();
	ctx.fillStyle = "#10151c";
	ctx.textBaseline = "middle";
	ctx.fillText(text, x + 4, 1 + FLAG_HEIGHT / 2 + 0.5);
	ctx.textBaseline = "alphabetic";
}

/** The marker whose flag or line is under a point of the axis. */
export function markerAt(markers: Marker[], view: View, width: number, x: number,
	y: number): Marker | null {
	for (let i = markers.length - 1; i >= 0; i--) {
		const at = timeToX(view, width, markers[i]!.timeNs);
		const reach = y <= FLAG_HEIGHT + 2 ? Math.min(markers[i]!.name.length, 18) * 6 + 8 : 3;
		if (x >= at - 3 && x <= at + reach) return markers[i]!;
	}
	return null;
}

function drawCursorTime(ctx: CanvasRenderingContext2D, scene: AxisScene, x: number): void {
	const { colours, width } = scene;
	const text = exactNs(xToTime(scene.view, width, x));
	ctx.font = `11px ${colours.sans}`;
	const room = ctx.measureText(text).width + 12;
	const left = Math.min(Math.max(x - room / 2, 0), width - room);
	ctx.fillStyle = colours.fg;
	ctx.beginPath();
	ctx.roundRect(left, AXIS_HEIGHT - 19, room, 17, 3);
	ctx.fill();
	ctx.fillStyle = colours.bg;
	ctx.fillText(text, left + 6, AXIS_HEIGHT - 6.5);
}

export interface MapScene {
	view: View;
	endNs: number;
	width: number;
	dpr: number;
	colours: ThemeColours;
	markers: Marker[];
	bands: PlacedBand[];
}

/** How busy the tracks of an answer are at each of so many pixels of the profile, 0 to 1. */
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

/** What lies below the lens: the same until the data, the theme or the size change. */
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
	const [from, to] = lensOf(scene.view, scene.endNs, width);
	ctx.fillStyle = colours.bg;
	ctx.globalAlpha = 0.62;
	ctx.fillRect(0, 0, from, MAP_HEIGHT);
	ctx.fillRect(to, 0, width - to, MAP_HEIGHT);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = colours.accent;
	ctx.lineWidth = 1;
	ctx.strokeRect(from + 0.5, 0.5, Math.max(to - from - 1, 1), MAP_HEIGHT - 1);
	ctx.fillStyle = colours.accent;
	for (const x of [from, to - 3]) ctx.fillRect(x, MAP_HEIGHT / 2 - 7, 3, 14);
}

/** The lens in pixels; never too narrow to be grasped. */
export function lensOf(view: View, endNs: number, width: number): [number, number] {
	const whole = fitView(endNs);
	const from = timeToX(whole, width, view.fromNs), to = timeToX(whole, width, view.toNs);
	const missing = Math.max(8 - (to - from), 0) / 2;
	const left = Math.min(Math.max(from - missing, 0), width - 8);
	return [Math.round(left), Math.round(Math.min(Math.max(to + missing, left + 8), width))];
}

export type LensPart = "left" | "right" | "inside" | "outside";

export function lensPartAt(view: View, endNs: number, width: number, x: number): LensPart {
	const [from, to] = lensOf(view, endNs, width);
	const grip = Math.min(6, (to - from) / 3);
	if (Math.abs(x - from) <= grip) return "left";
	if (Math.abs(x - to) <= grip) return "right";
	return x > from && x < to ? "inside" : "outside";
}
