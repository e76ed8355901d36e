// SPDX-License-Identifier: Apache-2.0
// Snaps markers to event edges: the nearest edge in the given row, or in all visible rows. While a
// marker is dragged, one request is pending at a time and the latest position wins.

import { visibleRows, type Layout } from "./layout.ts";
import type { Lane } from "./rows.ts";

/** One depth of one track, wherever it is drawn. */
export type Depth = Pick<Lane, "track" | "depth">;

/** The nearest edge within reach in a lane, null when there is none. */
type NearestEdge = (timeNs: number, lane: Depth, withinNs: number) => Promise<number | null>;

/** At most this many lanes are queried: a drag would flood the server otherwise. */
const MOST_LANES = 12;

/**
 * The lanes a marker may snap to: of the row in focus, otherwise the first of each row in sight.
 */
export function lanesToSnap(layout: Layout, focusedKey: string, scroll: number,
	height: number): Depth[] {
	const inSight = visibleRows(layout, scroll, height).filter(({ row }) => row.kind === "spans");
	const focused = inSight.find(({ row }) => row.key === focusedKey);
	const lanes = focused ? focused.row.lanes
		: inSight.flatMap(({ row }) => row.lanes.filter((lane) => lane.line === 0));
	return lanes.slice(0, MOST_LANES).map(({ track, depth }) => ({ track, depth }));
}

export class Snapper {
	private wanted: { timeNs: number; take: (timeNs: number) => void } | null = null;
	private isAsking = false;

	constructor(private readonly nearest: NearestEdge) {}

	/** The edge nearest to a moment, or the moment when none is within reach. */
	async snap(timeNs: number, lanes: Depth[], withinNs: number): Promise<number> {
		const edges = await Promise.all(lanes.map((lane) => this.nearest(timeNs, lane, withinNs)
			.catch(() => null)));
		let best = timeNs, away = withinNs;
		for (const edge of edges) {
			if (edge === null || Math.abs(edge - timeNs) > away) continue;
			best = edge;
			away = Math.abs(edge - timeNs);
		}
		return best;
	}

	/**
	 * For a marker that is on its way: calls `take` with an edge, unless it has moved on meanwhile.
	 */
	async follow(timeNs: number, lanes: Depth[], withinNs: number,
		take: (timeNs: number) => void): Promise<void> {
		this.wanted = { timeNs, take };
		if (this.isAsking) return;
		this.isAsking = true;
		while (this.wanted) {
			const now = this.wanted;
			this.wanted = null;
			const at = await this.snap(now.timeNs, lanes, withinNs);
			// what has moved by less than the reach still means this edge
			const last = this.wanted as typeof now | null;
			if (!last || Math.abs(at - last.timeNs) <= withinNs) (last ?? now).take(at);
		}
		this.isAsking = false;
	}

	/** What is under way is not wanted any more. */
	drop(): void {
		this.wanted = null;
	}
}
