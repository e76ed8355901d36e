// SPDX-License-Identifier: Apache-2.0
// Draws the flow of the selected event of a system profile. Its events may overlap: an arrow leaves
// an event when the next one starts, or at its end if that is earlier.

import type { Link, PlacedEvent } from "./scene.ts";

export interface Step {
	from: PlacedEvent;
	to: PlacedEvent;
	leaveNs: number; // when the arrow leaves
	isUpstream: boolean;
}

export const isFlow = (links: Link[]) => links.some((link) => link.summary.kind === "flow");

const leaveNs = (from: PlacedEvent, to: PlacedEvent) =>
	Math.min(Math.max(to.fromNs, from.fromNs), from.toNs);

/** The server lists the links of each direction nearest first. */
export function stepsOf(selected: PlacedEvent, links: Link[]): Step[] {
	const steps: Step[] = [];
	const walk = (list: Link[], isUpstream: boolean) => {
		let near = selected;
		for (const { event } of list) {
			const [from, to] = isUpstream ? [event, near] : [near, event];
			steps.push({ from, to, leaveNs: leaveNs(from, to), isUpstream });
			near = event;
		}
	};
	walk(links.filter((link) => link.isPredecessor), true);
	walk(links.filter((link) => !link.isPredecessor), false);
	return steps;
}

/** An S-shaped arrow from left to right; `bend` is how far its ends are horizontal. */
export function drawArrow(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number,
	y1: number, bend: number, colour: string): void {
	ctx.strokeStyle = ctx.fillStyle = colour;
	ctx.globalAlpha = 0.9;
	ctx.lineWidth = 1.5;
	ctx.beginPath();
	ctx.moveTo(x0, y0);
	ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
	ctx.stroke();
	ctx.beginPath();
	ctx.moveTo(x1, y1);
	ctx.lineTo(x1 - 6, y1 - 3.5);
	ctx.lineTo(x1 - 6, y1 + 3.5);
	ctx.fill();
}

/** An arrow from one row to the next; a vertical one if both are at the same time. */
export function drawStep(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number,
	y1: number, colour: string): void {
	if (Math.abs(x1 - x0) > 12)
		return drawArrow(ctx, x0, y0, x1, y1, Math.min((x1 - x0) / 2, 120), colour);
	const middle = (y0 + y1) / 2, down = Math.sign(y1 - y0) || 1;
	ctx.strokeStyle = ctx.fillStyle = colour;
	ctx.globalAlpha = 0.9;
	ctx.lineWidth = 1.5;
	ctx.beginPath();
	ctx.moveTo(x0, y0);
	ctx.bezierCurveTo(x0, middle, x1, middle, x1, y1);
	ctx.stroke();
	ctx.beginPath();
	ctx.moveTo(x1, y1);
	ctx.lineTo(x1 - 3.5, y1 - 6 * down);
	ctx.lineTo(x1 + 3.5, y1 - 6 * down);
	ctx.fill();
}
