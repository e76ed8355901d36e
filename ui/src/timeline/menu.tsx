// SPDX-License-Identifier: Apache-2.0
// The context menu of a timeline.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Actions, MenuState } from "./actions.ts";
import { timeText } from "./ticks.ts";

interface Item {
	label: string;
	hint?: string;
	run: () => void;
	isFirstOfGroup?: boolean;
}

function itemsOf(actions: Actions, { timeNs, placed, hit }: MenuState): Item[] {
	const items: Item[] = [];
	const lane = hit ?? (placed?.row.kind === "spans" ? placed.row.lanes[0] : undefined) ?? null;
	if (hit?.table) {
		const event = { table: hit.table, row: hit.row };
		items.push({
			label: "Zoom to this event", hint: "Double click", run: () => void actions.zoomToEvent(event),
		});
		items.push({ label: "Show details", hint: "Enter",
			run: () => actions.stage.context.reveal(event) });
		if (hit.table === "Instruction")
			items.push({ label: "Show source line", hint: "O",
				run: () => void actions.openSource(event) });
	}
	items.push({
		label: "Set marker here", hint: timeText(timeNs), isFirstOfGroup: items.length > 0,
		run: () => void actions.markers.addSnapped(timeNs, lane),
	});
	items.push({ label: "Copy link to this view", run: () => void actions.copyLink() });
	if (!placed) return items;
	const { row } = placed;
	if (row.kind === "group") {
		items.push({
			label: row.isFolded ? "Unfold group" : "Fold group", hint: "C", isFirstOfGroup: true,
			run: () => actions.changeRow("fold", row.key),
		});
	} else {
		items.push({ label: "Select this row as a box", isFirstOfGroup: true,
			run: () => actions.boxRow(placed) });
		items.push({
			label: row.isPinned ? "Unpin row" : "Pin row to the top", hint: "T",
			run: () => actions.changeRow("pin", row.key),
		});
		if (row.lineCount > 1)
			items.push({
				label: row.isFolded ? "Show all depths" : "Fold into one line", hint: "C",
				run: () => actions.changeRow("fold", row.key),
			});
	}
	items.push({
		label: row.kind === "group" ? "Hide group" : "Hide row", hint: "H",
		run: () => actions.changeRow("hide", row.key),
	});
	return items;
}

export function Menu({ actions }: { actions: Actions }) {
	const state = useStore(actions.menu);
	return state ? <OpenMenu key={`${state.x},${state.y}`} actions={actions} state={state} /> : null;
}

function OpenMenu({ actions, state }: { actions: Actions; state: MenuState }) {
	const menu = useRef<HTMLDivElement>(null);
	const close = () => actions.menu.set(null);
	useLayoutEffect(() => {
		const element = menu.current!;
		element.showPopover?.(); // above everything: the panel around would cut it
		const box = element.getBoundingClientRect();
		element.style.left = `${Math.max(Math.min(state.x, innerWidth - box.width - 8), 4)}px`;
		element.style.top = `${Math.max(Math.min(state.y, innerHeight - box.height - 8), 4)}px`;
		element.querySelector<HTMLElement>("button")?.focus();
	}, [state]);
	useEffect(() => {
		const outside = (event: PointerEvent) => {
			if (!menu.current?.contains(event.target as Node)) close();
		};
		addEventListener("pointerdown", outside, true);
		addEventListener("blur", close);
		return () => {
			removeEventListener("pointerdown", outside, true);
			removeEventListener("blur", close);
		};
	}, []);
	const key = (event: KeyboardEvent) => {
		const buttons = [...menu.current!.querySelectorAll<HTMLElement>("button")];
		const now = buttons.indexOf(document.activeElement as HTMLElement);
		const go = (to: number) => buttons[(to + buttons.length) % buttons.length]?.focus();
		if (event.key === "Escape" || event.key === "Tab") close();
		else if (event.key === "ArrowDown") go(now + 1);
		else if (event.key === "ArrowUp") go(now - 1);
		else if (event.key === "Home") go(0);
		else if (event.key === "End") go(-1);
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div ref={menu} class="tl-menu" role="menu" aria-label="Timeline" popover="manual"
			onKeyDown={key}>
			{itemsOf(actions, state).map((item) => (
				<button type="button" role="menuitem" key={item.label}
					class={item.isFirstOfGroup ? "tl-menu-first" : ""}
					onClick={() => {
						close();
						item.run();
					}}>
					<span>{item.label}</span>
					{item.hint && <span class="tl-dim">{item.hint}</span>}
				</button>
			))}
		</div>
	);
}
