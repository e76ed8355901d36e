// SPDX-License-Identifier: Apache-2.0
// Positions of rows. Pinned rows stay at the top; the others scroll below them. y is in pixels of
// the unscrolled content.

import type { Row } from "./rows.ts";

export interface PlacedRow {
	row: Row;
	y: number;
	height: number;
	laneHeight: number;
	index: number;
}

export interface Layout {
	rows: PlacedRow[];
	pinnedHeight: number;
	height: number; // including pinned rows
	/** By "track:depth". */
	lanes: Map<string, { placed: PlacedRow; top: number; height: number }>;
}

const GROUP_HEIGHT = 24;
const COUNTER_HEIGHT = 36;
const PADDING = 3; // above and below the bars of a row
const SINGLE_LANE = 18;
const NESTED_LANE = 16; // high enough for a name
const MAX_ROW = 208;
const FOLDED_LANE = 10;
const MIN_LANE = 4;

function laneHeightOf(row: Row): number {
	if (row.isFolded) return FOLDED_LANE;
	if (row.lineCount <= 1) return SINGLE_LANE;
	const fair = Math.floor((MAX_ROW - 2 * PADDING) / row.lineCount);
	return Math.max(MIN_LANE, Math.min(NESTED_LANE, fair));
}

function heightOf(row: Row): number {
	if (row.kind === "group") return GROUP_HEIGHT;
	if (row.kind === "counter") return COUNTER_HEIGHT;
	const lines = row.isFolded ? 1 : row.lineCount;
	return lines * laneHeightOf(row) + 2 * PADDING;
}

export function layoutRows(rows: Row[]): Layout {
	const layout: Layout = { rows: [], pinnedHeight: 0, height: 0, lanes: new Map() };
	let y = 0;
	rows.forEach((row, index) => {
		const height = heightOf(row);
		const laneHeight = laneHeightOf(row);
		const placed = { row, y, height, laneHeight, index };
		layout.rows.push(placed);
		row.lanes.forEach((lane) => {
			const top = row.kind === "counter" ? PADDING : PADDING +
				(row.isFolded ? 0 : lane.line * laneHeight);
			layout.lanes.set(`${lane.track}:${lane.depth}`, {
				placed, top, height: row.kind === "counter" ? height - 2 * PADDING : laneHeight,
			});
		});
		y += height;
		if (row.isPinned) layout.pinnedHeight = y;
	});
	layout.height = y;
	return layout;
}

/** The row's top on the screen. */
export const screenY = (placed: PlacedRow, scroll: number) =>
	(placed.row.isPinned ? placed.y : placed.y - scroll);

export function visibleRows(layout: Layout, scroll: number, height: number): PlacedRow[] {
	return layout.rows.filter((placed) => {
		if (placed.row.isPinned) return placed.y < height;
		const top = placed.y - scroll;
		return top < height && top + placed.height > layout.pinnedHeight;
	});
}

export function rowAt(layout: Layout, scroll: number, y: number): PlacedRow | null {
	const isPinned = y < layout.pinnedHeight;
	const at = isPinned ? y : y + scroll;
	for (const placed of layout.rows)
		if (placed.row.isPinned === isPinned && at >= placed.y && at < placed.y + placed.height)
			return placed;
	return null;
}

/** The lanes at a height of a row: those of the line there, or all lanes of a folded row. */
export function lanesAt(placed: PlacedRow, insideY: number): number[] {
	const { row } = placed;
	if (row.kind === "group") return [];
	if (row.kind === "counter") return [0];
	if (row.isFolded) return row.lanes.map((_, index) => index).reverse();
	const line = Math.floor((insideY - PADDING) / placed.laneHeight);
	return row.lanes.flatMap((lane, index) => (lane.line === line ? [index] : []));
}

/** The scroll position at which a row is visible; the current one if it already is. */
export function scrollToShow(layout: Layout, placed: PlacedRow, scroll: number,
	height: number): number {
	if (placed.row.isPinned) return scroll;
	const top = placed.y - layout.pinnedHeight;
	const room = height - layout.pinnedHeight;
	if (top < scroll) return Math.max(0, top - GROUP_HEIGHT);
	if (top + placed.height > scroll + room)
		return Math.max(0, top + placed.height - room + GROUP_HEIGHT);
	return scroll;
}
