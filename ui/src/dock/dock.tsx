// SPDX-License-Identifier: Apache-2.0
// The dock: tab bars, gutters and panels, placed by geometry.ts. Panels are one flat list, so a
// moved panel keeps its element, state and scroll position.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PanelKind, ProfileContext } from "../contract.ts";
import { ErrorBoundary } from "../shell/error_boundary.tsx";
import { gatedContext } from "../state/gate.ts";
import { createStore, useStore, type Store } from "../store.ts";
import {
	dropAt, layOut, LEAST_PX, neighbour, TAB_BAR_PX, type Drop, type Rect,
	type Gutter as GutterPlace,
} from "./geometry.ts";
import * as model from "./model.ts";
import { TabBar, type TabActions } from "./tabs.tsx";
import "./dock.css";

const px = (rect: Rect) => ({
	left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`, height: `${rect.height}px`,
});

function PanelBody({ kind, context, rect }:
	{ kind: PanelKind; context: ProfileContext; rect: Rect | null }) {
	const isOpen = useMemo(() => createStore(true), []);
	const own = useMemo(() => gatedContext(context, isOpen), [context]);
	const isShown = rect !== null;
	useLayoutEffect(() => isOpen.set(isShown), [isShown]);
	useLayoutEffect(() => () => isOpen.set(false), []);
	return (
		<div class="dock-panel" id={`dock-panel-${kind.id}`} role="tabpanel" hidden={!rect}
			aria-labelledby={`dock-tab-${kind.id}`} style={rect ? px(rect) : {}}>
			<ErrorBoundary what={kind.title}><kind.component context={own} /></ErrorBoundary>
		</div>
	);
}

/** Left and right edges of a group's tabs, in pixels from the dock's left edge. */
function tabEdges(area: HTMLElement, group: model.Group): [number, number][] {
	const { left } = area.getBoundingClientRect();
	return group.panels.map((panel) => {
		const box = document.getElementById(`dock-tab-${panel}`)?.getBoundingClientRect();
		return [(box?.left ?? 0) - left, (box?.right ?? 0) - left];
	});
}

export function Dock({ store, kinds, context, onAdd }: {
	store: Store<model.Dock>;
	kinds: PanelKind[];
	context: ProfileContext;
	onAdd: () => void;
}) {
	const dock = useStore(store);
	const area = useRef<HTMLDivElement>(null);
	const [size, setSize] = useState({ width: 0, height: 0 });
	const [drop, setDrop] = useState<Drop | null>(null);
	const shownOnce = useRef(new Set<string>()).current;
	useLayoutEffect(() => {
		const measure = () => {
			const { clientWidth: width, clientHeight: height } = area.current!;
			setSize((now) => now.width === width && now.height === height ? now : { width, height });
		};
		const observer = new ResizeObserver(measure);
		observer.observe(area.current!);
		measure();
		return () => observer.disconnect();
	}, []);

	const placed = layOut(dock, size.width, size.height);
	const placedRef = useRef(placed);
	placedRef.current = placed;
	const bodies = new Map<string, Rect>();
	for (const { group, rect } of placed.groups) {
		shownOnce.add(group.active);
		bodies.set(group.active, { ...rect, y: rect.y + TAB_BAR_PX,
			height: Math.max(0, rect.height - TAB_BAR_PX) });
	}
	const open = new Set(model.panelsOf(dock.root));
	for (const panel of shownOnce) if (!open.has(panel)) shownOnce.delete(panel);

	const actions: TabActions = {
		titleOf: (panel) => kinds.find((kind) => kind.id === panel)?.title ?? panel,
		activate: (panel) => store.update((now) => model.activate(now, panel)),
		close: (panel) => store.update((now) => model.close(now, panel)),
		maximise: (panel) => store.update((now) => model.toggleMaximised(now, panel)),
		moveTo(panel, edge) {
			const next = neighbour(placedRef.current, panel, edge);
			store.update((now) => model.place(now, panel,
				next ? { into: next.active } : { beside: panel, edge }));
		},
		startDrag(panel, event) {
			const dropHere = (x: number, y: number) => {
				const box = area.current!.getBoundingClientRect();
				return dropAt(placedRef.current, box, x - box.left, y - box.top, panel,
					(group) => tabEdges(area.current!, group));
			};
			startTabDrag(event, {
				onMove: (x, y) => setDrop(dropHere(x, y)),
				onDrop(x, y) {
					const at = dropHere(x, y);
					setDrop(null);
					if (at) store.update((now) => model.place(now, panel, at.target));
				},
				onCancel: () => setDrop(null),
			});
		},
	};

	return (
		<div class="dock-area" ref={area}>
			{placed.groups.map(({ group, rect }) => (
				<TabBar key={group.panels[0]} group={group} rect={rect} actions={actions}
					isMaximised={dock.maximised !== null} />
			))}
			{kinds.filter((kind) => shownOnce.has(kind.id)).map((kind) => (
				<PanelBody key={kind.id} kind={kind} context={context} rect={bodies.get(kind.id) ??
					null} />
			))}
			{placed.gutters.map((gutter) => (
				<Gutter key={`${gutter.path.join(".")}:${gutter.idx}`} place={gutter}
					onMove={(by) => store.update((now) => model.resize(now, gutter.path, gutter.idx, by,
						LEAST_PX / Math.max(1, gutter.lengthPx)))}
					onHalve={() => store.update((now) => model.halve(now, gutter.path,
						gutter.idx))} />
			))}
			{drop && <div class="dock-drop" style={px(drop.rect)} />}
			{!dock.root && (
				<div class="ui-empty">
					<h2>No panels are open</h2>
					<p class="ui-dim">Add the timeline or any other panel, or reset the layout
						in the Layout menu.</p>
					<p><button type="button" class="ui-button is-primary" onClick={onAdd}>Add
						panel</button></p>
				</div>
			)}
		</div>
	);
}

const KEY_STEP = 0.02;

function Gutter({ place, onMove, onHalve }: {
	place: GutterPlace;
	/** By a fraction of the split's length. */
	onMove: (by: number) => void;
	onHalve: () => void;
}) {
	const isRow = place.direction === "row";
	const { rect } = place;
	const onKeyDown = (event: KeyboardEvent) => {
		const less = isRow ? "ArrowLeft" : "ArrowUp";
		const more = isRow ? "ArrowRight" : "ArrowDown";
		const steps = event.shiftKey ? 5 : 1;
		if (event.key === less) onMove(-KEY_STEP * steps);
		else if (event.key === more) onMove(KEY_STEP * steps);
		else if (event.key === "Home") onMove(-1);
		else if (event.key === "End") onMove(1);
		else if (event.key === "Enter") onHalve();
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	const onPointerDown = (event: PointerEvent) => {
		if (event.button) return;
		const bar = event.currentTarget as HTMLElement;
		let at = isRow ? event.clientX : event.clientY;
		bar.setPointerCapture(event.pointerId);
		const move = (moved: PointerEvent) => {
			const now = isRow ? moved.clientX : moved.clientY;
			if (now === at) return;
			onMove((now - at) / Math.max(1, place.lengthPx));
			at = now;
		};
		const end = () => {
			bar.removeEventListener("pointermove", move);
			bar.removeEventListener("pointerup", end);
			bar.removeEventListener("pointercancel", end);
		};
		bar.addEventListener("pointermove", move);
		bar.addEventListener("pointerup", end);
		bar.addEventListener("pointercancel", end);
	};
	return (
		<div class={`dock-gutter is-${place.direction}`} role="separator" tabIndex={0}
			aria-orientation={isRow ? "vertical" : "horizontal"} aria-label="Resize panels"
			aria-valuenow={Math.round(place.share * 100)} aria-valuemin={0} aria-valuemax={100}
			style={{ left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`,
				height: `${rect.height}px` }}
			onPointerDown={onPointerDown} onKeyDown={onKeyDown} onDblClick={onHalve} />
	);
}

interface TabDrag {
	onMove(x: number, y: number): void;
	onDrop(x: number, y: number): void;
	onCancel(): void;
}

const BEGIN_PX = 5;

function startTabDrag(down: PointerEvent, drag: TabDrag): void {
	const tab = down.currentTarget as HTMLElement;
	let isDragging = false;
	const end = () => {
		removeEventListener("pointermove", move);
		removeEventListener("pointerup", up);
		removeEventListener("pointercancel", cancel);
		removeEventListener("keydown", key, true);
		document.body.classList.remove("dock-is-dragging");
	};
	const move = (event: PointerEvent) => {
		if (!isDragging && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) <
			BEGIN_PX)
			return;
		if (!isDragging) {
			isDragging = true;
			tab.setPointerCapture(down.pointerId);
			document.body.classList.add("dock-is-dragging");
		}
		drag.onMove(event.clientX, event.clientY);
	};
	const up = (event: PointerEvent) => {
		end();
		if (isDragging) drag.onDrop(event.clientX, event.clientY);
	};
	const cancel = () => {
		end();
		drag.onCancel();
	};
	const key = (event: KeyboardEvent) => {
		if (event.key !== "Escape" || !isDragging) return;
		event.stopPropagation();
		cancel();
	};
	// On the window, because a fast pointer leaves the tab before the drag starts.
	addEventListener("pointermove", move);
	addEventListener("pointerup", up);
	addEventListener("pointercancel", cancel);
	addEventListener("keydown", key, true);
}
