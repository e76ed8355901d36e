// SPDX-License-Identifier: Apache-2.0
// The commands of a timeline, shared by keys, buttons, menus and the pointer.

import type { Box, EventRef, ProfileContext } from "../contract.ts";
import { createStore } from "../store.ts";
import { formatNs } from "../format.ts";
import type { SpanHit } from "./hit.ts";
import type { Command } from "./keys.ts";
import type { PlacedRow } from "./layout.ts";
import { Markers } from "./markers.ts";
import { Movement } from "./movement.ts";
import { hideRow, toggleFolded, togglePinned } from "./rows.ts";
import { sourceOf, SOURCE_PANEL, nameOfEvent } from "./events.ts";
import type { Stage } from "./stage.ts";
import { fitOf } from "../state/home.ts";
import { exactNs } from "./ticks.ts";
import {
	absoluteNs, panView, relativeNs, spanOf, stepView, viewAround, xToTime, type Step,
} from "./view.ts";

export interface MenuState {
	x: number; // in the window
	y: number;
	timeNs: number;
	placed: PlacedRow | null;
	hit: SpanHit | null;
}

const BOX_PANEL = "box-selection";

export class Actions {
	readonly mode = createStore<"zoom" | "box">("zoom");
	readonly help = createStore(false);
	readonly menu = createStore<MenuState | null>(null);
	readonly focusedRow = createStore("");
	readonly announcement = createStore("");
	readonly movement: Movement;
	readonly markers: Markers;

	constructor(readonly stage: Stage) {
		this.movement = new Movement(stage.context);
		this.markers = new Markers(stage, this.focusedRow, (sentence) =>
			this.announcement.set(sentence));
	}

	private get context(): ProfileContext {
		return this.stage.context;
	}

	panBy(px: number): void {
		const { view, endNs } = this.context;
		const now = view.get();
		this.movement.set(panView(now, endNs, (px * spanOf(now)) / this.stage.width));
	}

	step(step: Step): void {
		const { view, endNs, home } = this.context;
		if (step === "fit") return this.movement.jumpTo(fitOf(view.get(), home, endNs));
		const { cursorX, width } = this.stage;
		const atNs = cursorX === null ? undefined : xToTime(view.get(), width, cursorX);
		const to = stepView(view.get(), endNs, step, atNs);
		if (step === "start" || step === "end") this.movement.jumpTo(to);
		else this.movement.set(to);
	}

	run(command: Command): void {
		const { context } = this;
		switch (command) {
			case "clear": return this.clear();
			case "box": return this.mode.update((mode) => (mode === "box" ? "zoom" : "box"));
			case "marker": return this.markers.addAtCursor();
			case "next": return void this.neighbour(1);
			case "previous": return void this.neighbour(-1);
			case "details": {
				const event = context.selected.get();
				return event ? context.reveal(event) : undefined;
			}
			case "source": {
				const event = context.selected.get();
				return event ? void this.openSource(event)
					: context.notify("Select an event first; O then shows its source line.");
			}
			case "zoomToSelection": return this.zoomToSelection();
			case "help": return this.help.update((open) => !open);
			case "rowUp": return this.moveFocus(-1);
			case "rowDown": return this.moveFocus(1);
			case "pin": case "fold": case "hide": return this.changeRow(command, this.focusedRow.get());
			case "menu": return this.openMenuAtFocus();
			default: return this.step(command);
		}
	}

	/** Whether the timeline handles Escape; otherwise the page does. */
	canClear(): boolean {
		const { box, selected } = this.context;
		return this.help.get() || !!this.menu.get() || this.mode.get() === "box" ||
			!!box.get() || !!selected.get();
	}

	clear(): void {
		const { box, selected } = this.context;
		if (this.help.get()) return this.help.set(false);
		if (this.menu.get()) return this.menu.set(null);
		if (this.mode.get() === "box") this.mode.set("zoom");
		if (box.get()) return box.set(null);
		selected.set(null);
	}


	changeRow(how: "pin" | "fold" | "hide", key: string): void {
		if (!key) return;
		const { settings, notify } = this.context;
		const row = this.stage.layout.get().rows.find((placed) => placed.row.key === key)?.row;
		if (!row) return;
		if (how === "fold") return settings.update((now) => toggleFolded(now, key));
		if (how === "pin") {
			if (row.kind !== "group") settings.update((now) => togglePinned(now, key));
			return;
		}
		settings.update((now) => hideRow(now, key));
		notify(`${row.label} is hidden. Use the toolbar to show hidden rows.`);
	}

	private moveFocus(by: number): void {
		const { rows } = this.stage.layout.get();
		if (!rows.length) return;
		const now = rows.findIndex(({ row }) => row.key === this.focusedRow.get());
		const next = now < 0 ? 0 : Math.min(Math.max(now + by, 0), rows.length - 1);
		const { row } = rows[next]!;
		this.focusedRow.set(row.key);
		this.stage.showRow(row.key);
		const state = row.kind === "group" ? `group, ${row.isFolded ? "folded" : "open"}` : "row";
		this.announcement.set(`${row.label}, ${state}`);
	}

	private openMenuAtFocus(): void {
		const label = document.querySelector<HTMLElement>(".tl-label[data-focused]");
		const box = label?.getBoundingClientRect();
		const placed = this.stage.layout.get().rows
			.find(({ row }) => row.key === this.focusedRow.get()) ?? null;
		if (!box || !placed) return;
		const view = this.context.view.get();
		this.menu.set({ x: box.right, y: box.top,
			timeNs: Math.round(view.fromNs + spanOf(view) / 2), placed, hit: null });
	}


	select(event: EventRef | null): void {
		this.context.selected.set(event);
	}

	async announceSelected(): Promise<void> {
		const { selectedDetails, selected } = this.stage.events;
		if (!selectedDetails || !selected) return;
		const row = this.stage.layout.get().lanes
			.get(`${selected.track}:${selected.depth}`)?.placed.row;
		this.announcement.set(`Selected ` +
			`${nameOfEvent(selectedDetails)}${row ? ` in ${row.label}` : ""}, ` +
			`starts at ${exactNs(selected.fromNs)}, takes ${formatNs(selected.toNs - selected.fromNs)}`);
	}

	zoomToSelection(): void {
		const { selected } = this.stage.events;
		const { box, endNs } = this.context;
		const part = selected ?? box.get();
		if (part) this.movement.jumpTo(viewAround(part.fromNs, part.toNs, endNs));
	}

	async zoomToEvent(event: EventRef): Promise<void> {
		try {
			const place = this.stage.events.placeOf(await this.stage.events.detailsOf(event));
			if (place) this.movement.jumpTo(viewAround(place.fromNs, place.toNs, this.context.endNs,
				0.5));
		} catch (failure) {
			this.context.notify((failure as Error).message, "error");
		}
	}

	/** Shows an event's source line and highlights all events of that line. */
	async openSource(event: EventRef): Promise<void> {
		const { highlight, notify, openPanel } = this.context;
		this.select(event);
		try {
			const source = sourceOf(await this.stage.events.detailsOf(event));
			if (!source) return notify("This event has no source line.");
			highlight.set({ table: event.table, where: [`${source.column}=${source.location}`],
				text: "" });
			openPanel(SOURCE_PANEL);
		} catch (failure) {
			notify((failure as Error).message, "error");
		}
	}

	/** Selects the next or previous event; without a selection, the first or last in view. */
	private async neighbour(step: 1 | -1): Promise<void> {
		const { api, originNs, view } = this.context;
		const { selected } = this.stage.events;
		const focused = this.stage.layout.get().rows.find(({ row }) =>
			row.key === this.focusedRow.get());
		const lane = selected ?? focused?.row.lanes[0];
		if (!lane)
			return this.context.notify("Select an event or a row first; N and P then step through it.");
		const time = selected ? selected.fromNs : step > 0 ? view.get().fromNs : view.get().toNs;
		const table = this.context.tracks.find((track) => track.id === lane.track)?.table;
		try {
			const at = await api.at({
				track: lane.track, depth: lane.depth, time: String(absoluteNs(originNs, time)), step,
			});
			if (at.row === undefined || !table) return;
			const from = relativeNs(originNs, at.start_ns!), to = relativeNs(originNs, at.end_ns!);
			this.select({ table, row: at.row });
			this.follow(from, to);
		} catch {
			this.context.notify(`This is the ${step > 0 ? "last" : "first"} event of the row.`);
		}
	}

	/**
	 * Moves the view as little as needed to show a time range. Not a jump: Back returns to where
	 * stepping along the row started.
	 */
	private follow(fromNs: number, toNs: number): void {
		const { view, endNs } = this.context;
		const now = view.get(), span = spanOf(now);
		if (fromNs >= now.fromNs && toNs <= now.toNs) return;
		if (toNs - fromNs > span) return this.movement.glideTo(viewAround(fromNs, toNs, endNs));
		const middle = (fromNs + toNs) / 2;
		this.movement.glideTo({ ...viewAround(middle - span / 2, middle + span / 2, endNs, 0) });
	}


	/** Selects a box and shows its statistics. */
	selectBox(box: Box): void {
		this.context.box.set(box);
		this.context.openPanel(BOX_PANEL);
	}

	boxRow(placed: PlacedRow): void {
		const now = this.context.view.get();
		this.selectBox({
			fromNs: Math.round(now.fromNs), toNs: Math.round(now.toNs),
			tracks: placed.row.tracks.map((track) => track.id),
		});
	}

	async copyLink(): Promise<void> {
		try {
			await navigator.clipboard.writeText(this.context.link());
			this.context.notify("Link to this view copied.");
		} catch {
			this.context.notify("The browser does not allow copying; the address bar has the link.",
				"error");
		}
	}
}
