// SPDX-License-Identifier: Apache-2.0
// Draws the top layer: selection, hover, dependencies, markers, box and drag. It is cheap, because
// it is redrawn with every move of the pointer.

import { formatNs } from "../format.ts";
import { drawArrow, drawStep, isFlow, stepsOf } from "./draw_flow.ts";
import { screenY } from "./layout.ts";
import type { Link, OverlayScene, PlacedEvent } from "./scene.ts";
import { timeToX, xToTime } from "./view.ts";

interface Rect {
	x: number;
	y: number;
	width: number;
	height: number;
	isSeen: boolean; // whether its row is on screen
}

export const PREDECESSOR = "#f0603c";
export const SUCCESSOR = "#3d8bfd";

function rectOf(scene: OverlayScene, event: PlacedEvent): Rect | null {
	const lane = scene.layout.lanes.get(`${event.track}:${event.depth}`);
	if (!lane) return null;
	const x = timeToX(scene.view, scene.width, event.fromNs);
	const to = timeToX(scene.view, scene.width, event.toNs);
	const y = screenY(lane.placed, scene.scroll) + lane.top;
	const { isPinned } = lane.placed.row;
	const top = isPinned ? 0 : scene.layout.pinnedHeight;
	return {
		x, y, width: Math.max(to - x, 1), height: lane.height,
		isSeen: y + lane.height > top && y < scene.height,
	};
}

export function drawOverlay(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
	const { width, height, dpr } = scene;
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.clearRect(0, 0, width, height);
	drawBox(ctx, scene);
	drawLinks(ctx, scene);
	if (scene.hovered) outline(ctx, scene, scene.hovered, scene.colours.fg, 1);
	if (scene.selected) drawSelected(ctx, scene, scene.selected);
	drawMarkers(ctx, scene);
	drawDrag(ctx, scene);
}

export function isOverlayEmpty(scene: OverlayScene): boolean {
	return !scene.selected && !scene.hovered && !scene.markers.length && !scene.box && !scene.drag;
}

function outline(ctx: CanvasRenderingContext2D, scene: OverlayScene, event: PlacedEvent,
	colour: string, thickness: number): void {
	const rect = rectOf(scene, event);
	if (!rect?.isSeen || rect.x > scene.width || rect.x + rect.width < 0) return;
	const x = Math.max(rect.x, -4), right = Math.min(rect.x + rect.width, scene.width + 4);
	ctx.strokeStyle = colour;
	ctx.lineWidth = thickness;
	const inset = thickness / 2;
	ctx.strokeRect(Math.round(x) - inset, rect.y - inset, Math.max(right - x, 1) + thickness,
		rect.height - 2 + thickness);
}

/** Two outlines in black and white, visible on any bar and in any theme. */
function drawSelected(ctx: CanvasRenderingContext2D, scene: OverlayScene,
	event: PlacedEvent): void {
	outline(ctx, scene, event, scene.colours.theme === "dark" ? "#000000" : "#ffffff", 4);
	outline(ctx, scene, event, scene.colours.theme === "dark" ? "#ffffff" : "#000000", 2);
}

function drawLinks(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
	const own = scene.selected && rectOf(scene, scene.selected);
	if (!own) return;
	if (isFlow(scene.links)) return drawFlow(ctx, scene, scene.selected!);
	for (const link of scene.links) drawLink(ctx, scene, own, link);
	ctx.globalAlpha = 1;
}

function drawFlow(ctx: CanvasRenderingContext2D, scene: OverlayScene, selected: PlacedEvent): void {
	for (const { from, to, leaveNs, isUpstream } of stepsOf(selected, scene.links)) {
		const a = rectOf(scene, from), b = rectOf(scene, to);
		if (!a || !b) continue;
		const colour = isUpstream ? PREDECESSOR : SUCCESSOR;
		outline(ctx, scene, isUpstream ? from : to, colour, 2);
		const x0 = timeToX(scene.view, scene.width, leaveNs);
		if (Math.max(x0, b.x) < 0 || Math.min(x0, b.x) > scene.width) continue;
		drawStep(ctx, x0, a.y + a.height / 2, b.x, b.y + b.height / 2, colour);
	}
	ctx.globalAlpha = 1;
}

function drawLink(ctx: CanvasRenderingContext2D, scene: OverlayScene, own: Rect, link: Link): void {
	const other = rectOf(scene, link.event);
	if (!other) return;
	const colour = link.isPredecessor ? PREDECESSOR : SUCCESSOR;
	if (other.isSeen) outline(ctx, scene, link.event, colour, 2);
	const [from, to] = link.isPredecessor ? [other, own] : [own, other];
	const x0 = from.x + from.width, y0 = from.y + from.height / 2;
	const x1 = to.x, y1 = to.y + to.height / 2;
	if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > scene.width) return;
	const bend = Math.min(Math.max(Math.abs(x1 - x0) / 2, 16), 160);
	drawArrow(ctx, x0, y0, x1, y1, bend, colour);
}

function drawMarkers(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
	for (const marker of scene.markers) {
		const x = Math.round(timeToX(scene.view, scene.width, marker.timeNs));
		if (x < -1 || x > scene.width) continue;
		ctx.fillStyle = marker.colour;
		ctx.fillRect(x, 0, 1, scene.height);
	}
}

function drawBox(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
	const { box, view, width, height } = scene;
	if (!box) return;
	const from = Math.max(timeToX(view, width, box.fromNs), -4);
	const to = Math.min(timeToX(view, width, box.toNs), width + 4);
	if (to < 0 || from > width) return;
	const paint = (top: number, bottom: number) => dashed(ctx, scene, from, top, to, bottom);
	if (!box.tracks) return paint(1, height - 1);
	let top = Infinity, bottom = -Infinity;
	for (const placed of scene.layout.rows) {
		if (!placed.row.tracks.some((track) => box.tracks!.includes(track.id))) continue;
		const y = screenY(placed, scene.scroll);
		top = Math.min(top, y);
		bottom = Math.max(bottom, y + placed.height);
	}
	if (bottom > top) paint(top, bottom);
}

function dashed(ctx: CanvasRenderingContext2D, scene: OverlayScene, x0: number, y0: number,
	x1: number, y1: number): void {
	ctx.fillStyle = scene.colours.accent;
	ctx.globalAlpha = 0.13;
	ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = scene.colours.accent;
	ctx.lineWidth = 1;
	ctx.setLineDash([5, 3]);
	ctx.strokeRect(Math.round(x0) + 0.5, Math.round(y0) + 0.5, Math.round(x1 - x0) - 1,
		Math.round(y1 - y0) - 1);
	ctx.setLineDash([]);
}

function drawDrag(ctx: CanvasRenderingContext2D, scene: OverlayScene): void {
	const { drag, view, width, height, colours } = scene;
	if (!drag) return;
	const x0 = Math.min(drag.x0, drag.x1), x1 = Math.max(drag.x0, drag.x1);
	if (drag.kind === "box") {
		dashed(ctx, scene, x0, Math.min(drag.y0, drag.y1), x1, Math.max(drag.y0, drag.y1));
	} else {
		// Dim what will be out of view.
		ctx.fillStyle = colours.bg;
		ctx.globalAlpha = 0.6;
		ctx.fillRect(0, 0, x0, height);
		ctx.fillRect(x1, 0, width - x1, height);
		ctx.globalAlpha = 1;
		ctx.fillStyle = colours.accent;
		ctx.fillRect(Math.round(x0), 0, 1, height);
		ctx.fillRect(Math.round(x1), 0, 1, height);
	}
	const text = formatNs(xToTime(view, width, x1) - xToTime(view, width, x0));
	pill(ctx, scene, text, (x0 + x1) / 2, drag.kind === "box" ? Math.max(drag.y0, drag.y1) + 14 : 14);
}

function pill(ctx: CanvasRenderingContext2D, scene: OverlayScene, text: string, x: number,
	y: number): void {
	ctx.font = `12px ${scene.colours.sans}`;
	ctx.textBaseline = "middle";
	ctx.textAlign = "center";
	const half = ctx.measureText(text).width / 2 + 8;
	const at = Math.min(Math.max(x, half), scene.width - half);
	ctx.fillStyle = scene.colours.raised;
	ctx.strokeStyle = scene.colours.accent;
	ctx.lineWidth = 1;
	ctx.beginPath();
	ctx.roundRect(at - half, y - 10, half * 2, 20, 4);
	ctx.fill();
	ctx.stroke();
	ctx.fillStyle = scene.colours.fg;
	ctx.fillText(text, at, y + 0.5);
}
