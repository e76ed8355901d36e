// SPDX-License-Identifier: Apache-2.0
// Row labels at the left of the canvas: fold, pin, hide and move rows. Only labels near the screen
// are rendered.

import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Actions } from "./actions.ts";
import { Icon } from "./icons.tsx";
import type { Layout, PlacedRow } from "./layout.ts";
import { moveRow } from "./rows.ts";

const STEP_PX = 400; // labels are updated after scrolling this far

interface Moving {
	key: string;
	before: string; // "": at the end
	y: number; // of the line that marks the place
}

/** Rows that a row can change places with. */
function siblingsOf(layout: Layout, placed: PlacedRow): PlacedRow[] {
	return layout.rows.filter(({ row }) => row.parent === placed.row.parent &&
		row.isPinned === placed.row.isPinned &&
		(row.kind === "group") === (placed.row.kind === "group"));
}

export function Gutter({ actions, isPinned }: { actions: Actions; isPinned: boolean }) {
	const layout = useStore(actions.stage.layout);
	const focused = useStore(actions.focusedRow);
	const [moving, setMoving] = useState<Moving | null>(null);
	const near = useNearRows(actions, layout);
	const rows = layout.rows.filter((placed) => placed.row.isPinned === isPinned &&
		(isPinned || near(placed)));
	const firstKey = layout.rows[0]?.row.key ?? "";
	const entry = layout.rows.some(({ row }) => row.key === focused) ? focused : firstKey;
	return (
		<div class="tl-labels" role="tree" aria-label={isPinned ? "Pinned rows" : "Rows"}>
			{rows.map((placed) => (
				<Label key={placed.row.key} placed={placed} actions={actions} layout={layout}
					isFocused={placed.row.key === focused} isEntry={placed.row.key === entry}
					onMoving={setMoving} isMoving={moving?.key === placed.row.key} />
			))}
			{moving && <div class="tl-drop" style={{ top: `${moving.y - 1}px` }} />}
		</div>
	);
}

function useNearRows(actions: Actions, layout: Layout): (placed: PlacedRow) => boolean {
	const [step, setStep] = useState(0);
	useEffect(() => {
		const scroller = document.querySelector(".tl-scroller");
		if (!scroller) return;
		const onScroll = () => setStep(Math.floor(scroller.scrollTop / STEP_PX));
		scroller.addEventListener("scroll", onScroll, { passive: true });
		return () => scroller.removeEventListener("scroll", onScroll);
	}, [layout]);
	const from = (step - 1) * STEP_PX,
		to = (step + 2) * STEP_PX + Math.max(actions.stage.height, 2000);
	return (placed) => placed.y + placed.height > from && placed.y < to;
}

interface LabelProps {
	placed: PlacedRow;
	layout: Layout;
	actions: Actions;
	isFocused: boolean;
	isEntry: boolean;
	isMoving: boolean;
	onMoving: (moving: Moving | null) => void;
}

function Label({ placed, layout, actions, isFocused, isEntry, isMoving, onMoving }: LabelProps) {
	const { row } = placed;
	const element = useRef<HTMLDivElement>(null);
	const isGroup = row.kind === "group";
	const canFold = isGroup || row.lineCount > 1;
	const drag = useDragging(placed, layout, actions, onMoving);
	useEffect(() => {
		// If a label has the focus, it follows J and K.
		const active = document.activeElement;
		if (isFocused && active !== element.current && active?.classList.contains("tl-label"))
			element.current?.focus({ preventScroll: true });
	}, [isFocused]);
	const change = (how: "pin" | "fold" | "hide") => (event: Event) => {
		event.stopPropagation();
		actions.changeRow(how, row.key);
	};
	const style = { top: `${placed.y}px`, height: `${placed.height}px` };
	const names = ["tl-label", isGroup ? "tl-group" : "", isMoving ? "tl-moving" : ""].join(" ");
	return (
		<div ref={element} class={names} style={style} title={row.title} role="treeitem"
			data-focused={isFocused || undefined} data-source={row.source || undefined}
			aria-level={isGroup || !row.parent ? 1 : 2}
			aria-expanded={canFold ? !row.isFolded : undefined}
			aria-label={row.label} aria-selected={isFocused} tabIndex={isEntry ? 0 : -1} {...drag}
			onFocus={() => actions.focusedRow.set(row.key)}
			onClick={() => (isGroup ? actions.changeRow("fold", row.key) :
				actions.focusedRow.set(row.key))}
			onKeyDown={(event) => {
				if (event.key !== "Enter" && event.key !== " ") return;
				if (isGroup) change("fold")(event);
				event.preventDefault();
			}}
			onContextMenu={(event) => {
				event.preventDefault();
				actions.focusedRow.set(row.key);
				actions.run("menu");
			}}>
			{isGroup && <Icon name={row.isFolded ? "folded" : "open"} />}
			<span class="tl-label-text">{row.label}</span>
			{isGroup && <span class="tl-count">{row.rowCount}</span>}
			<span class="tl-label-tools">
				{!isGroup && canFold && (
					<LabelTool icon={row.isFolded ? "folded" : "open"} onClick={change("fold")}
						title={row.isFolded ? "Show all depths (C)" : "Fold into one line (C)"} />
				)}
				<LabelTool icon="hide" onClick={change("hide")}
					title={isGroup ? "Hide the group (H)" : "Hide the row (H)"} />
				{!isGroup && (
					<LabelTool icon="pin" title={row.isPinned ? "Unpin (T)" : "Pin to the top (T)"}
						isOn={row.isPinned} onClick={change("pin")} />
				)}
			</span>
		</div>
	);
}

function LabelTool({ icon, title, onClick, isOn }: {
	icon: Parameters<typeof Icon>[0]["name"];
	title: string;
	onClick: (event: Event) => void;
	isOn?: boolean;
}) {
	// Not a tab stop: the title names a key that does the same.
	return (
		<button type="button" tabIndex={-1} title={title} aria-label={title} aria-pressed={isOn}
			onClick={onClick} onPointerDown={(event) => event.stopPropagation()}>
			<Icon name={icon} />
		</button>
	);
}

const DRAG_FROM_PX = 5;

/** Dragging a label moves its row among its siblings. */
function useDragging(placed: PlacedRow, layout: Layout, actions: Actions,
	onMoving: LabelProps["onMoving"]) {
	const start = useRef<{ y: number; target: Moving | null } | null>(null);
	const { key, isPinned } = placed.row;
	const siblings = () => siblingsOf(layout, placed);
	return {
		onPointerDown: (event: PointerEvent) => {
			if (event.button !== 0) return;
			start.current = { y: event.clientY, target: null };
			// Now, because the first move of a fast pointer may already leave the label.
			(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
		},
		onPointerMove: (event: PointerEvent) => {
			const from = start.current;
			if (!from || Math.abs(event.clientY - from.y) < DRAG_FROM_PX) return;
			const label = event.currentTarget as HTMLElement;
			const y = placed.y + (event.clientY - label.getBoundingClientRect().top);
			const list = siblings();
			const after = list.find((one) => one.y + one.height / 2 > y);
			const last = list[list.length - 1]!;
			from.target = { key, before: after?.row.key ?? "",
				y: after ? after.y : last.y + last.height };
			onMoving(from.target);
		},
		onPointerUp: () => {
			const target = start.current?.target;
			start.current = null;
			onMoving(null);
			if (!target) return;
			const keys = siblings().map(({ row }) => row.key);
			if (isPinned) actions.stage.context.settings.update((now) => ({
				...now, pinned: pinnedAfter(now.pinned, key, target.before),
			}));
			else actions.stage.context.settings.update((now) => ({
				...now, order: moveRow(now.order, keys, key, target.before),
			}));
		},
		onPointerCancel: () => {
			start.current = null;
			onMoving(null);
		},
	};
}

function pinnedAfter(pinned: string[], key: string, before: string): string[] {
	const rest = pinned.filter((one) => one !== key);
	const at = rest.indexOf(before);
	if (before === key) return pinned;
	return at < 0 ? [...rest, key] : [...rest.slice(0, at), key, ...rest.slice(at)];
}
