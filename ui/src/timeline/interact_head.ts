// SPDX-License-Identifier: Apache-2.0
// Pointers on the axis (moving along, moving markers) and on the map (moving and sizing the lens).

import type { Marker } from "../contract.ts";
import type { Actions } from "./actions.ts";
import { lensPartAt, markerAt, type LensPart } from "./draw_axis.ts";
import type { Surfaces } from "./stage.ts";
import { clampView, fitView, MIN_SPAN_NS, momentAt, panView, spanOf, viewAround,
	xToTime } from "./view.ts";

type Gesture =
	| { kind: "pan"; lastX: number }
	| { kind: "marker"; marker: Marker }
	| { kind: "lens"; part: LensPart; lastX: number };

export class HeadInteraction {
	private gesture: Gesture | null = null;
	private endings: (() => void)[] = [];

	constructor(private readonly actions: Actions, private readonly onLeave: () => void) {}

	attach({ axis, map }: Surfaces): void {
		this.on(axis, "pointerdown", (event) => this.pressAxis(event, axis));
		this.on(axis, "pointermove", (event) => this.moveAxis(event, axis));
		this.on(axis, "pointerup", () => this.end());
		this.on(axis, "pointercancel", () => this.end());
		this.on(axis, "pointerleave", () => this.gesture || this.onLeave());
		this.on(axis, "dblclick", () => this.actions.step("fit"));
		this.on(map, "pointerdown", (event) => this.pressMap(event, map));
		this.on(map, "pointermove", (event) => this.moveMap(event, map));
		this.on(map, "pointerup", () => this.end());
		this.on(map, "pointercancel", () => this.end());
		this.on(map, "dblclick", () => this.actions.step("fit"));
	}

	detach(): void {
		for (const end of this.endings) end();
		this.endings = [];
	}

	private on<K extends keyof HTMLElementEventMap>(element: HTMLElement, type: K,
		listener: (event: HTMLElementEventMap[K]) => void): void {
		element.addEventListener(type, listener);
		this.endings.push(() => element.removeEventListener(type, listener));
	}

	private get stage() {
		return this.actions.stage;
	}

	private get context() {
		return this.actions.stage.context;
	}

	private end(): void {
		this.gesture = null;
	}

	private pressAxis(event: PointerEvent, axis: HTMLElement): void {
		if (event.button !== 0) return;
		axis.setPointerCapture(event.pointerId);
		const marker = markerAt(this.context.markers.get(), this.context.view.get(), this.stage.width,
			event.offsetX, event.offsetY);
		this.gesture = marker ? { kind: "marker", marker }
			: { kind: "pan", lastX: event.offsetX };
	}

	private moveAxis(event: PointerEvent, axis: HTMLElement): void {
		const { stage, gesture } = this;
		const x = event.offsetX;
		stage.cursorX = Math.min(Math.max(x, 0), stage.width);
		stage.invalidate("overlay", "axis");
		const { view, markers, endNs } = this.context;
		if (gesture?.kind === "pan") {
			this.actions.panBy(gesture.lastX - x);
			gesture.lastX = x;
			return;
		}
		if (gesture?.kind === "marker") {
			this.actions.markers.drag(gesture.marker.id, momentAt(view.get(), stage.width, x, endNs),
				event.altKey);
			return;
		}
		axis.style.cursor = markerAt(markers.get(), view.get(), stage.width, x, event.offsetY)
			? "ew-resize" : "grab";
	}

	private pressMap(event: PointerEvent, map: HTMLElement): void {
		if (event.button !== 0) return;
		map.setPointerCapture(event.pointerId);
		const { view, endNs } = this.context;
		const part = lensPartAt(view.get(), endNs, this.stage.width, event.offsetX);
		if (part === "outside") {
			const middle = xToTime(fitView(endNs), this.stage.width, event.offsetX);
			const half = spanOf(view.get()) / 2;
			this.actions.movement.jumpTo(viewAround(middle - half, middle + half, endNs, 0));
		}
		this.gesture = { kind: "lens", part: part === "outside" ? "inside" : part, lastX: event.offsetX };
	}

	private moveMap(event: PointerEvent, map: HTMLElement): void {
		const { view, endNs } = this.context;
		const now = view.get(), { width } = this.stage;
		const { gesture } = this;
		if (gesture?.kind !== "lens") {
			const part = lensPartAt(now, endNs, width, event.offsetX);
			map.style.cursor = part === "inside" ? "grab" : part === "outside" ? "pointer" : "ew-resize";
			return;
		}
		const byNs = ((event.offsetX - gesture.lastX) * endNs) / width;
		gesture.lastX = event.offsetX;
		if (gesture.part === "inside") return this.actions.movement.set(panView(now, endNs, byNs));
		const moved = gesture.part === "left"
			? { ...now, fromNs: Math.min(now.fromNs + byNs, now.toNs - MIN_SPAN_NS) }
			: { ...now, toNs: Math.max(now.toNs + byNs, now.fromNs + MIN_SPAN_NS) };
		this.actions.movement.set(clampView(moved, endNs));
	}
}
