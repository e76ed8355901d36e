// SPDX-License-Identifier: Apache-2.0
// Positions of groups and gutters in the dock, and the effect of dropping a panel at a point. In
// pixels from the dock's top left corner.

import { groupOf, type Dock, type DockNode, type Edge, type Group, type Split, type Target } from
	"./model.ts";

const GUTTER_PX = 4;
export const TAB_BAR_PX = 32;
export const LEAST_PX = 96;

export interface Rect {
	x: number;
	y: number;
	width: number;
	height: number;
}

interface PlacedGroup {
	group: Group;
	rect: Rect;
}

export interface Gutter {
	rect: Rect;
	path: number[]; // of its split
	idx: number; // of the child before it
	direction: Split["direction"];
	lengthPx: number; // of the split, without gutters
	share: number; // of the child before it
}

export interface Placed {
	groups: PlacedGroup[];
	gutters: Gutter[];
}

export function layOut(dock: Dock, width: number, height: number): Placed {
	const placed: Placed = { groups: [], gutters: [] };
	const whole = { x: 0, y: 0, width, height };
	const maximised = dock.maximised === null ? undefined : groupOf(dock, dock.maximised);
	if (maximised) placed.groups.push({ group: maximised, rect: whole });
	else if (dock.root) layOutNode(dock.root, whole, [], placed);
	return placed;
}

function layOutNode(node: DockNode, rect: Rect, path: number[], placed: Placed): void {
	if (node.kind === "group") {
		placed.groups.push({ group: node, rect });
		return;
	}
	const isRow = node.direction === "row";
	const lengthPx = Math.max(0, (isRow ? rect.width : rect.height) -
		GUTTER_PX * (node.children.length - 1));
	let sum = 0;
	let at = isRow ? rect.x : rect.y;
	node.children.forEach((child, idx) => {
		// Round edges, not lengths, so that the sizes add up.
		const from = Math.round(sum * lengthPx);
		sum += node.weights[idx]!;
		const size = Math.round(sum * lengthPx) - from;
		layOutNode(child, isRow ? { ...rect, x: at, width: size } : { ...rect, y: at, height: size
			}, [...path, idx], placed);
		at += size;
		if (idx === node.children.length - 1) return;
		placed.gutters.push({
			rect: isRow ? { x: at, y: rect.y, width: GUTTER_PX, height: rect.height }
				: { x: rect.x, y: at, width: rect.width, height: GUTTER_PX },
			path, idx, direction: node.direction, lengthPx, share: node.weights[idx]!,
		});
		at += GUTTER_PX;
	});
}

export interface Drop {
	target: Target;
	rect: Rect; // the preview
}

const RIM_PX = 14; // drops this close to the dock's edge split the whole dock
const contains = (rect: Rect, x: number, y: number) =>
	x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;

function part(rect: Rect, edge: Edge, share: number): Rect {
	const width = Math.round(rect.width * share);
	const height = Math.round(rect.height * share);
	switch (edge) {
	case "left": return { ...rect, width };
	case "right": return { ...rect, x: rect.x + rect.width - width, width };
	case "top": return { ...rect, height };
	case "bottom": return { ...rect, y: rect.y + rect.height - height, height };
	}
}

/** The edge that a point is close to, or null for the middle half. */
function nearEdge(rect: Rect, x: number, y: number): Edge | null {
	const fx = (x - rect.x) / rect.width;
	const fy = (y - rect.y) / rect.height;
	const near: [Edge, number][] = [["left", fx], ["right", 1 - fx], ["top", fy], ["bottom", 1 - fy]];
	const [edge, distance] = near.reduce((best, one) => one[1] < best[1] ? one : best);
	return distance < 0.25 ? edge : null;
}

/** What dropping `panel` at a point does; null: nothing. */
export function dropAt(placed: Placed, size: { width: number; height: number }, x: number,
	y: number,
	panel: string, tabEdges: (group: Group) => [number, number][]): Drop | null {
	const whole = { x: 0, y: 0, width: size.width, height: size.height };
	if (!contains(whole, x, y)) return null;
	const rim: [Edge, number][] = [["left", x], ["right", size.width - x],
		["bottom", size.height - y]];
	for (const [edge, distance] of rim) {
		if (distance < RIM_PX && placed.groups.length > 1)
			return { target: { edge }, rect: part(whole, edge, 0.3) };
	}
	const hit = placed.groups.find((one) => contains(one.rect, x, y));
	if (!hit) return null;
	const anchor = hit.group.active;
	if (y < hit.rect.y + TAB_BAR_PX) {
		const edges = tabEdges(hit.group);
		const before = edges.findIndex(([left, right]) => x < (left + right) / 2);
		const index = before < 0 ? edges.length : before;
		const at = before < 0 ? edges.at(-1)?.[1] ?? hit.rect.x : edges[before]![0];
		return { target: { into: anchor, index },
			rect: { x: at - 1, y: hit.rect.y + 4, width: 2, height: TAB_BAR_PX - 8 } };
	}
	const isAlone = hit.group.panels.length === 1 && anchor === panel;
	const body = { ...hit.rect, y: hit.rect.y + TAB_BAR_PX, height: hit.rect.height - TAB_BAR_PX };
	const edge = nearEdge(body, x, y);
	if (isAlone) return null;
	if (edge) return { target: { beside: anchor, edge }, rect: part(hit.rect, edge, 0.5) };
	return hit.group.panels.includes(panel) ? null : { target: { into: anchor }, rect: hit.rect };
}

/** The nearest group on one side of a panel's group; for moving tabs by keyboard. */
export function neighbour(placed: Placed, panel: string, edge: Edge): Group | null {
	const from = placed.groups.find((one) => one.group.panels.includes(panel))?.rect;
	if (!from) return null;
	const isBeyond = (rect: Rect) => edge === "left" ? rect.x + rect.width <= from.x
		: edge === "right" ? rect.x >= from.x + from.width
			: edge === "top" ? rect.y + rect.height <= from.y : rect.y >= from.y + from.height;
	const distance = (rect: Rect) => Math.hypot(rect.x + rect.width / 2 - from.x - from.width / 2,
		rect.y + rect.height / 2 - from.y - from.height / 2);
	const beyond = placed.groups.filter((one) => isBeyond(one.rect));
	if (!beyond.length) return null;
	return beyond.reduce((best, one) => distance(one.rect) < distance(best.rect) ? one : best).group;
}
