// SPDX-License-Identifier: Apache-2.0
// Draws the axis: ticks, flags of markers, the time under the pointer.

import type { Marker, View } from "../contract.ts";
import { formatNs } from "../format.ts";
import type { PlacedBand, ThemeColours } from "./scene.ts";
import { exactNs, ticksOf } from "./ticks.ts";
import { timeToX, xToTime } from "./view.ts";

export const AXIS_HEIGHT = 36;
const FLAG_HEIGHT = 14;

interface AxisScene {
	gaps: PlacedBand[];
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
	scene.gaps.forEach((gap) => drawGap(ctx, scene, gap));
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

const GAP_ROOM = 12; // around its label
const HATCH_PX = 6;

/** What was not recorded between two sessions: hatched, with its length if there is room. */
function drawGap(ctx: CanvasRenderingContext2D, { view, width, colours }: AxisScene,
	{ fromNs, toNs }: PlacedBand): void {
	const from = Math.max(timeToX(view, width, fromNs), 0);
	const to = Math.min(timeToX(view, width, toNs), width);
	if (to - from < 1) return;
	const height = AXIS_HEIGHT - 18;
	ctx.save();
	ctx.beginPath();
	ctx.rect(from, 0, to - from, height);
	ctx.clip();
	ctx.fillStyle = colours.bg;
	ctx.fillRect(from, 0, to - from, height);
	ctx.strokeStyle = colours.line;
	ctx.beginPath();
	for (let x = Math.floor((from - height) / HATCH_PX) * HATCH_PX; x < to; x += HATCH_PX) {
		ctx.moveTo(x, height);
		ctx.lineTo(x + height, 0);
	}
	ctx.stroke();
	ctx.font = `11px ${colours.sans}`;
	ctx.textBaseline = "middle";
	ctx.textAlign = "center";
	const texts = [`not recorded, ${formatNs(toNs - fromNs, 3)}`, formatNs(toNs - fromNs, 3)];
	const text = texts.find((one) => ctx.measureText(one).width + GAP_ROOM < to - from);
	if (text) {
		const room = ctx.measureText(text).width + GAP_ROOM;
		const middle = (from + to) / 2;
		ctx.fillStyle = colours.bg;
		ctx.fillRect(middle - room / 2, 0, room, height);
		ctx.fillStyle = colours.dim;
		ctx.fillText(text, middle, height / 2 + 0.5);
	}
	ctx.restore();
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

/** The marker whose flag or line is at a point of the axis. */
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
