// SPDX-License-Identifier: Apache-2.0
// Snaps markers to event edges. While a marker is dragged, only one request is pending at a time
// and the latest position wins.

import { visibleRows, type Layout } from "./layout.ts";
import type { Lane } from "./rows.ts";

export type Depth = Pick<Lane, "track" | "depth">;

/** Returns the nearest edge in a lane, or null if none is close enough. */
type NearestEdge = (timeNs: number, lane: Depth, withinNs: number) => Promise<number | null>;

/** The most lanes to query, so that a drag does not flood the server. */
const MOST_LANES = 12;

/** The lanes that a marker may snap to: those of the focused row, else the first of each row. */
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

	/** The edge nearest to a time, or the time itself if no edge is close enough. */
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

	/** For a marker that is being dragged: calls `take` with an edge, unless it has moved on. */
	async follow(timeNs: number, lanes: Depth[], withinNs: number,
		take: (timeNs: number) => void): Promise<void> {
		this.wanted = { timeNs, take };
		if (this.isAsking) return;
		this.isAsking = true;
		while (this.wanted) {
			const now = this.wanted;
			this.wanted = null;
			const at = await this.snap(now.timeNs, lanes, withinNs);
			// If the marker has moved, the edge must still be close enough.
			const last = this.wanted as typeof now | null;
			if (!last || Math.abs(at - last.timeNs) <= withinNs) (last ?? now).take(at);
		}
		this.isAsking = false;
	}

	/** Ignores the pending request. */
	drop(): void {
		this.wanted = null;
	}
}
