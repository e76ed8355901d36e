// SPDX-License-Identifier: Apache-2.0
// Turns pointer, wheel and key events on a timeline into actions. A gesture starts with a press and
// ends with its release or Escape. interact_head.ts handles the axis and the map.

import { createStore } from "../store.ts";
import type { Actions } from "./actions.ts";
import { bandAt } from "./draw_bands.ts";
import { HeadInteraction, type Listen } from "./interact_head.ts";
import { hitAt, type Hit, type SpanHit } from "./hit.ts";
import { commandOf } from "./keys.ts";
import { rowAt, screenY } from "./layout.ts";
import type { PlacedBand } from "./scene.ts";
import type { Surfaces } from "./stage.ts";
import { clampView, momentAt, spanOf, xToTime, zoomAbout } from "./view.ts";

export interface HoverState {
	x: number; // in the window
	y: number;
	hit: Hit | null;
	band: PlacedBand | null;
}

type Gesture =
	| { kind: "press"; x: number; y: number; makesBox: boolean }
	| { kind: "zoom" | "box"; x: number; y: number }
	| { kind: "pan"; lastX: number; lastY: number };

const CLICK_PX = 4;
const LINE_PX = 16; // for wheels that count lines

export class Interaction {
	readonly hover = createStore<HoverState | null>(null);
	private gesture: Gesture | null = null;
	private endings: (() => void)[] = [];

	private readonly head: HeadInteraction;

	constructor(private readonly actions: Actions) {
		this.head = new HeadInteraction(actions, () => this.leave());
	}

	attach(surfaces: Surfaces): void {
		const { overlay, root } = surfaces;
		this.on(overlay, "pointerdown", (event) => this.press(event, overlay));
		this.on(overlay, "pointermove", (event) => this.move(event));
		this.on(overlay, "pointerup", (event) => this.release(event));
		this.on(overlay, "pointercancel", () => this.cancel());
		this.on(overlay, "pointerleave", () => this.leave());
		this.on(overlay, "dblclick", (event) => this.doubleClick(event));
		this.on(overlay, "contextmenu", (event) => this.contextMenu(event));
		this.on(overlay, "wheel", (event) => this.wheel(event, false), { passive: false });
		for (const head of [surfaces.axis, surfaces.map])
			this.on(head, "wheel", (event) => this.wheel(event, true), { passive: false });
		this.head.attach(surfaces, this.on);
		const onKey = (event: KeyboardEvent) => this.key(event, root);
		document.addEventListener("keydown", onKey);
		this.endings.push(() => document.removeEventListener("keydown", onKey));
	}

	detach(): void {
		for (const end of this.endings) end();
		this.endings = [];
	}

	private readonly on: Listen = (element, type, listener, options) => {
		element.addEventListener(type, listener, options);
		this.endings.push(() => element.removeEventListener(type, listener, options));
	};

	private get stage() {
		return this.actions.stage;
	}

	private get context() {
		return this.actions.stage.context;
	}


	private press(event: PointerEvent, overlay: HTMLElement): void {
		if (event.button > 1) return;
		this.actions.menu.set(null);
		overlay.setPointerCapture(event.pointerId);
		const pans = event.button === 1 || event.shiftKey || event.pointerType === "touch";
		this.gesture = pans
			? { kind: "pan", lastX: event.offsetX, lastY: event.offsetY }
			: { kind: "press", x: event.offsetX, y: event.offsetY,
				makesBox: this.actions.mode.get() === "box" };
		if (event.button === 1) event.preventDefault();
	}

	private move(event: PointerEvent): void {
		const { gesture, stage } = this;
		const x = event.offsetX, y = event.offsetY;
		stage.cursorX = Math.min(Math.max(x, 0), stage.width);
		stage.invalidate("overlay", "axis");
		if (gesture?.kind === "press" && Math.hypot(x - gesture.x, y - gesture.y) > CLICK_PX) {
			this.gesture = { kind: gesture.makesBox ? "box" : "zoom", x: gesture.x, y: gesture.y };
			this.hover.set(null);
		}
		if (this.gesture?.kind === "zoom" || this.gesture?.kind === "box") {
			const inside = (value: number, most: number) => Math.min(Math.max(value, 0), most);
			stage.drag = {
				kind: this.gesture.kind, x0: this.gesture.x, x1: inside(x, stage.width),
				y0: this.gesture.y, y1: inside(y, stage.height),
			};
			return;
		}
		if (this.gesture?.kind === "pan") return this.pan(this.gesture, x, y);
		if (!this.gesture) this.point(event);
	}

	private pan(gesture: Extract<Gesture, { kind: "pan" }>, x: number, y: number): void {
		this.actions.panBy(gesture.lastX - x);
		this.stage.scrollBy(gesture.lastY - y);
		gesture.lastX = x;
		gesture.lastY = y;
		this.hover.set(null);
	}

	private release(event: PointerEvent): void {
		const { gesture, stage } = this;
		const { drag } = stage;
		this.cancel();
		if (gesture?.kind === "press") return this.click(event);
		if (!drag) return;
		const { view, endNs } = this.context;
		const at = (x: number) => momentAt(view.get(), stage.width, x, endNs);
		const from = at(Math.min(drag.x0, drag.x1)), to = at(Math.max(drag.x0, drag.x1));
		if (drag.kind === "zoom") {
			this.actions.movement.jumpTo(clampView({ fromNs: from, toNs: to }, endNs));
			return;
		}
		const top = Math.min(drag.y0, drag.y1), bottom = Math.max(drag.y0, drag.y1);
		const tracks = stage.layout.get().rows
			.filter((placed) => {
				const y = screenY(placed, stage.scroll);
				return y + placed.height > top && y < bottom;
			})
			.flatMap(({ row }) => row.tracks.map((track) => track.id));
		this.actions.selectBox({ fromNs: from, toNs: to, tracks });
		this.actions.mode.set("zoom");
	}

	private cancel(): void {
		this.gesture = null;
		this.stage.drag = null;
		this.stage.invalidate("overlay");
	}

	private leave(): void {
		if (this.gesture) return;
		this.stage.cursorX = null;
		this.setHover(null);
		this.stage.invalidate("overlay", "axis");
	}

	private click(event: PointerEvent): void {
		const hit = hitAt(this.stage.scene(), event.offsetX, event.offsetY);
		const placed = rowAt(this.stage.layout.get(), this.stage.scroll, event.offsetY);
		if (placed?.row.kind === "group") return this.actions.changeRow("fold", placed.row.key);
		if (placed) this.actions.focusedRow.set(placed.row.key);
		if (hit?.kind !== "span" || !hit.table) return this.actions.select(null);
		const ref = { table: hit.table, row: hit.row };
		if (event.ctrlKey || event.metaKey) void this.actions.openSource(ref);
		else this.actions.select(ref);
	}

	private doubleClick(event: MouseEvent): void {
		const hit = hitAt(this.stage.scene(), event.offsetX, event.offsetY);
		if (hit?.kind !== "span" || !hit.table) return;
		void this.actions.zoomToEvent({ table: hit.table, row: hit.row });
	}

	private contextMenu(event: MouseEvent): void {
		event.preventDefault();
		const { stage } = this;
		const hit = hitAt(stage.scene(), event.offsetX, event.offsetY);
		this.setHover(null);
		this.actions.menu.set({
			x: event.clientX, y: event.clientY,
			timeNs: momentAt(this.context.view.get(), stage.width, event.offsetX, this.context.endNs),
			placed: rowAt(stage.layout.get(), stage.scroll, event.offsetY),
			hit: hit?.kind === "span" ? hit : null,
		});
	}

	/** Reports what is under the pointer while nothing is pressed. */
	private point(event: PointerEvent): void {
		const { stage } = this;
		const scene = stage.scene();
		const hit = hitAt(scene, event.offsetX, event.offsetY);
		const placed = rowAt(stage.layout.get(), stage.scroll, event.offsetY);
		const time = xToTime(scene.view, scene.width, event.offsetX);
		const slack = (spanOf(scene.view) / scene.width) * 2;
		const band = hit?.kind === "span" ? null : bandAt(scene.bands, time, slack, placed);
		this.setHover(hit || band ? { x: event.clientX, y: event.clientY, hit, band } : null);
	}

	private setHover(state: HoverState | null): void {
		const { stage, context } = this;
		this.hover.set(state);
		const span = state?.hit?.kind === "span" && state.hit.table ? (state.hit as SpanHit) : null;
		stage.events.hovered = span
			? { track: span.track, depth: span.depth, fromNs: span.fromNs, toNs: span.toNs } : null;
		stage.ownHover = span && { table: span.table, row: span.row };
		const before = context.hovered.get();
		if (before?.table !== span?.table || before?.row !== span?.row)
			context.hovered.set(stage.ownHover);
	}


	private wheel(event: WheelEvent, zoomsAnyway: boolean): void {
		const { view, endNs } = this.context;
		const now = view.get();
		const scale = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? this.stage.height : 1;
		const dx = event.deltaX * scale, dy = event.deltaY * scale;
		const isSideways = event.shiftKey || Math.abs(dx) > Math.abs(dy);
		if (isSideways) {
			event.preventDefault();
			this.actions.panBy(event.shiftKey && !dx ? dy : dx);
		} else if (event.ctrlKey || event.metaKey || zoomsAnyway) {
			event.preventDefault(); // the browser would zoom the page
			const about = event.currentTarget === null ||
				(event.currentTarget as HTMLElement).dataset["map"]
				? now.fromNs + spanOf(now) / 2 : xToTime(now, this.stage.width, event.offsetX);
			// A pinch on a touchpad arrives as many small wheel events with Ctrl.
			const speed = event.ctrlKey && Math.abs(dy) < 20 ? 0.01 : 0.0025;
			const factor = Math.exp(Math.min(Math.max(dy, -200), 200) * speed);
			this.actions.movement.set(zoomAbout(now, endNs, about, factor));
		} // the browser scrolls the rows with a plain wheel
	}

	/** Handles keys in the timeline and, except help and details, if nothing has the focus. */
	private key(event: KeyboardEvent, root: HTMLElement): void {
		const target = event.target as HTMLElement;
		const isOurs = root.contains(target);
		if (event.defaultPrevented || !(isOurs || target === document.body)) return;
		if (target.closest("input, select, textarea, dialog, [role=menu]")) return;
		const command = commandOf(event);
		if (!command || (!isOurs && (command === "help" || command === "details"))) return;
		// Enter on a button is a click.
		if (command === "details" && target.tagName === "BUTTON") return;
		if (command === "clear" && !this.gesture && !this.actions.canClear()) return;
		if (command === "clear" && this.gesture) this.cancel();
		else this.actions.run(command);
		event.preventDefault();
	}
}
