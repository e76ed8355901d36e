// SPDX-License-Identifier: Apache-2.0
// Pointer input on the axis (panning, moving markers) and on the map (moving and resizing the
// lens).

import type { Marker, View } from "../contract.ts";
import type { Actions } from "./actions.ts";
import { markerAt } from "./draw_axis.ts";
import { dragLens, lensPartAt, type LensPart } from "./lens.ts";
import type { Surfaces } from "./stage.ts";
import { clampView, fitView, momentAt, spanOf, xToTime } from "./view.ts";

type Gesture =
	| { kind: "pan"; lastX: number }
	| { kind: "marker"; marker: Marker }
	| { kind: "lens"; part: LensPart; start: View; pressX: number;
		state: "pressed" | "jumped" | "dragged" };

/** Ignore small movements: one pixel of the map may be a thousand screens. */
const SLACK_PX = 3;

export type Listen = <K extends keyof HTMLElementEventMap>(element: HTMLElement, type: K,
	listener: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions) => void;

export class HeadInteraction {
	private gesture: Gesture | null = null;

	constructor(private readonly actions: Actions, private readonly onLeave: () => void) {}

	attach({ axis, map }: Surfaces, on: Listen): void {
		on(axis, "pointerdown", (event) => this.pressAxis(event, axis));
		on(axis, "pointermove", (event) => this.moveAxis(event, axis));
		on(axis, "pointerleave", () => this.gesture || this.onLeave());
		on(map, "pointerdown", (event) => this.pressMap(event, map));
		on(map, "pointermove", (event) => this.moveMap(event, map));
		for (const head of [axis, map]) {
			on(head, "pointerup", () => this.end());
			on(head, "pointercancel", () => this.end());
			on(head, "dblclick", () => this.actions.step("fit"));
		}
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
		this.gesture = marker ? { kind: "marker", marker } : { kind: "pan", lastX: event.offsetX };
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
		const x = event.offsetX;
		const part = lensPartAt(view.get(), endNs, this.stage.width, x);
		if (part !== "outside") {
			this.gesture = { kind: "lens", part, start: view.get(), pressX: x, state: "pressed" };
			return;
		}
		const middle = xToTime(fitView(endNs), this.stage.width, x);
		const half = spanOf(view.get()) / 2;
		const to = clampView({ fromNs: middle - half, toNs: middle + half }, endNs);
		this.actions.movement.jumpTo(to);
		this.gesture = { kind: "lens", part: "inside", start: to, pressX: x, state: "jumped" };
	}

	private moveMap(event: PointerEvent, map: HTMLElement): void {
		const { view, endNs } = this.context;
		const { width } = this.stage;
		const { gesture } = this;
		if (gesture?.kind !== "lens") {
			const part = lensPartAt(view.get(), endNs, width, event.offsetX);
			map.style.cursor = part === "inside" ? "grab" : part === "outside" ? "pointer" : "ew-resize";
			return;
		}
		const byPx = event.offsetX - gesture.pressX;
		if (gesture.state !== "dragged" && Math.abs(byPx) < SLACK_PX) return;
		const to = dragLens(gesture.start, gesture.part, byPx, endNs, width);
		// One history entry: for the press that moved the lens, or else for the drag.
		if (gesture.state === "pressed") this.actions.movement.jumpAtOnce(to);
		else this.actions.movement.set(to);
		gesture.state = "dragged";
	}
}
