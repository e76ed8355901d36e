// SPDX-License-Identifier: Apache-2.0
// The tracks that the screen needs: those of visible rows, then those of nearby rows. A row may
// have a thousand tracks and every frame calls this, so the result is cached per row.

import { visibleRows, type Layout, type PlacedRow } from "./layout.ts";
import type { Wanted } from "./loader.ts";
import { MAX_LANES, type Row } from "./rows.ts";

const ROWS_AHEAD_PX = 240; // above and below the screen
const COUNTER_COST = 4; // counters have a value for every pixel; spans leave most pixels empty

interface Need {
	id: number;
	track: string; // as in requests
	cost: number;
}

const needs = new WeakMap<Row, Need[]>();

function needsOf(row: Row): Need[] {
	const known = needs.get(row);
	if (known) return known;
	const depths = new Map<number, number[]>();
	for (const { track, depth } of row.lanes) {
		const list = depths.get(track);
		if (list) list.push(depth);
		else depths.set(track, [depth]);
	}
	const shares = new Set(row.shares);
	const list = [...row.tracks, ...row.shares]
		.filter((track) => depths.has(track.id) || shares.has(track))
		.map((track): Need => {
			const shown = depths.get(track.id) ?? [];
			const isCut = track.depth_count > MAX_LANES;
			return {
				id: track.id,
				track: isCut ? shown.map((depth) => `${track.id}:${depth}`).join(",") : String(track.id),
				cost: track.kind === "counter" ? COUNTER_COST
					: isCut ? shown.length : Math.max(track.depth_count, 1),
			};
		});
	needs.set(row, list);
	return list;
}

export function tracksInSight(layout: Layout, scroll: number, height: number):
Pick<Wanted, "ids" | "tracks" | "costs"> {
	const ids: number[] = [], tracks: string[] = [], costs: number[] = [];
	const known = new Set<number>();
	const add = ({ row }: PlacedRow) => {
		for (const need of needsOf(row)) {
			if (known.has(need.id)) continue;
			known.add(need.id);
			ids.push(need.id);
			tracks.push(need.track);
			costs.push(need.cost);
		}
	};
	visibleRows(layout, scroll, height).forEach(add);
	visibleRows(layout, scroll - ROWS_AHEAD_PX, height + 2 * ROWS_AHEAD_PX).forEach(add);
	return { ids, tracks, costs };
}
