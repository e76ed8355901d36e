// SPDX-License-Identifier: Apache-2.0
// Setting and moving markers, with optional snapping to event edges.

import type { Marker, ProfileContext } from "../contract.ts";
import type { Store } from "../store.ts";
import { lanesToSnap, Snapper, type Depth } from "./snap.ts";
import type { Stage } from "./stage.ts";
import { exactNs } from "./ticks.ts";
import { absoluteNs, momentAt, relativeNs, spanOf } from "./view.ts";

const MARKER_COLOURS = ["#e69f00", "#56b4e9", "#3fbf8f", "#f0e442", "#cc79a7", "#ff8f6b"];
const SNAP_PX = 8;

export class Markers {
	private readonly snapper =
		new Snapper((timeNs, lane, within) => this.nearestEdge(timeNs, lane, within));

	constructor(private readonly stage: Stage, private readonly focusedRow: Store<string>,
		private readonly announce: (sentence: string) => void) {}

	private get context(): ProfileContext {
		return this.stage.context;
	}

	addAtCursor(): void {
		const { view, endNs } = this.context;
		const { cursorX, width } = this.stage;
		this.add(momentAt(view.get(), width, cursorX ?? width / 2, endNs));
	}

	add(timeNs: number): void {
		const { markers } = this.context;
		const list = markers.get();
		const used = new Set(list.map((marker) => marker.name));
		let number = list.length + 1;
		while (used.has(String(number))) number++;
		const marker: Marker = {
			id: `m${Date.now().toString(36)}${number}`, name: String(number), timeNs,
			colour: MARKER_COLOURS[(number - 1) % MARKER_COLOURS.length]!, diffTo: null,
		};
		markers.set([...list, marker].sort((a, b) => a.timeNs - b.timeNs));
		this.announce(`Marker ${marker.name} at ${exactNs(timeNs)}`);
	}

	/** Adds a marker at the nearest event edge in the lane, if one is close. */
	async addSnapped(timeNs: number, lane: Depth | null): Promise<void> {
		const lanes = this.context.settings.get().snap && lane ? [lane] : [];
		this.add(await this.snapper.snap(timeNs, lanes, this.reachNs()));
	}

	private reachNs(): number {
		const span = spanOf(this.context.view.get());
		return Math.max(Math.round((span * SNAP_PX) / Math.max(this.stage.width, 1)), 1);
	}

	private async nearestEdge(timeNs: number, lane: Depth, within: number): Promise<number | null> {
		const { api, originNs } = this.context;
		const at = await api.at({
			track: lane.track, depth: lane.depth, time: String(absoluteNs(originNs, timeNs)),
			nearest: "any", within,
		});
		return at.edge_ns === undefined ? null : relativeNs(originNs, at.edge_ns);
	}

	/** Moves a dragged marker; unless `isFree`, it snaps to event edges. */
	drag(id: string, timeNs: number, isFree: boolean): void {
		this.move(id, timeNs);
		if (isFree || !this.context.settings.get().snap) return this.snapper.drop();
		const { layout, scroll, height } = this.stage;
		void this.snapper.follow(timeNs, lanesToSnap(layout.get(), this.focusedRow.get(), scroll,
			height), this.reachNs(), (edge) => this.move(id, edge));
	}

	move(id: string, timeNs: number): void {
		this.context.markers.update((list) => list.map((marker) =>
			(marker.id === id ? { ...marker, timeNs } : marker)));
	}
}
