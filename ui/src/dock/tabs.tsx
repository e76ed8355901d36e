// SPDX-License-Identifier: Apache-2.0
// The tabs of one group, with their menu.

import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../shell/icons.tsx";
import { Menu, MenuButton, type MenuEntry, type Place } from "../shell/menu.tsx";
import type { Edge, Group } from "./model.ts";
import type { Rect } from "./geometry.ts";

export interface TabActions {
	titleOf(panel: string): string;
	activate(panel: string): void;
	close(panel: string): void;
	maximise(panel: string): void;
	/** To the group on that side, or to a new group there. */
	moveTo(panel: string, edge: Edge): void;
	startDrag(panel: string, event: PointerEvent): void;
}

const ARROWS: Record<string, Edge> = {
	ArrowLeft: "left", ArrowRight: "right", ArrowUp: "top", ArrowDown: "bottom",
};

/** The menu lists the tabs too, because some may be scrolled out of view. */
function tabEntries({ panels, active }: Group, actions: TabActions): MenuEntry[] {
	if (panels.length < 2) return [];
	return [
		...panels.map((panel): MenuEntry => ({
			title: actions.titleOf(panel), isChecked: panel === active,
			run: () => actions.activate(panel),
		})),
		"line",
	];
}

function menuOf(panel: string, isMaximised: boolean, actions: TabActions): MenuEntry[] {
	const move = (title: string, edge: Edge): MenuEntry =>
		({ title, run: () => actions.moveTo(panel, edge) });
	return [
		{ title: isMaximised ? "Restore" : "Maximise", icon: "maximise", run: () =>
			actions.maximise(panel) },
		"line",
		move("Move left", "left"), move("Move right", "right"), move("Move up", "top"),
		move("Move down", "bottom"),
		"line",
		{ title: "Close", icon: "close", run: () => actions.close(panel) },
	];
}

export function TabBar({ group, rect, isMaximised, actions }:
	{ group: Group; rect: Rect; isMaximised: boolean; actions: TabActions }) {
	const list = useRef<HTMLDivElement>(null);
	const [menu, setMenu] = useState<{ panel: string; place: Place } | null>(null);
	const { panels, active } = group;
	useEffect(() => {
		list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest",
			inline: "nearest" });
	}, [active, panels.length]);

	const focusTab = (panel: string | undefined) => {
		if (!panel) return;
		actions.activate(panel);
		// After rendering: the tab may have moved.
		requestAnimationFrame(() => document.getElementById(`dock-tab-${panel}`)?.focus());
	};
	const onKeyDown = (event: KeyboardEvent, panel: string) => {
		const at = panels.indexOf(panel);
		const edge = ARROWS[event.key];
		if (edge && event.ctrlKey && event.shiftKey) {
			actions.moveTo(panel, edge);
			focusTab(panel);
		} else if (event.ctrlKey || event.altKey || event.metaKey) return;
		else if (event.key === "ArrowRight") focusTab(panels[(at + 1) % panels.length]);
		else if (event.key === "ArrowLeft") focusTab(panels[(at + panels.length - 1) %
			panels.length]);
		else if (event.key === "Home") focusTab(panels[0]);
		else if (event.key === "End") focusTab(panels.at(-1));
		else if (event.key === "Delete") {
			actions.close(panel);
			focusTab(panels[at + 1] ?? panels[at - 1]);
		} else if (event.key === "Enter") actions.maximise(panel);
		else return;
		event.preventDefault();
		event.stopPropagation();
	};

	return (
		<div class="dock-bar" style={{ left: `${rect.x}px`, top: `${rect.y}px`,
			width: `${rect.width}px` }}
			data-group={active}>
			<div class="dock-tabs" role="tablist" ref={list} onWheel={(event) => {
				event.currentTarget.scrollLeft += event.deltaY || event.deltaX;
			}}>
				{panels.map((panel) => (
					<div key={panel} id={`dock-tab-${panel}`} role="tab" class="dock-tab"
						tabIndex={panel === active ? 0 : -1} aria-selected={panel === active}
						aria-label={actions.titleOf(panel)} aria-controls={`dock-panel-${panel}`}
						onClick={() => actions.activate(panel)} onDblClick={() => actions.maximise(panel)}
						onAuxClick={(event) => event.button === 1 && actions.close(panel)}
						onKeyDown={(event) => onKeyDown(event, panel)}
						onContextMenu={(event) => {
							event.preventDefault();
							const box = event.currentTarget.getBoundingClientRect();
							setMenu({ panel, place: { left: event.clientX || box.left,
								top: event.clientY || box.bottom } });
						}}
						onPointerDown={(event) => !event.button && actions.startDrag(panel, event)}>
						<span class="dock-title">{actions.titleOf(panel)}</span>
						{/* For the mouse only: a tab may not contain a button, and Delete closes it too. */}
						<span class="dock-close" aria-hidden="true" title="Close (Delete)"
							onPointerDown={(event) => event.stopPropagation()}
							onClick={(event) => {
								event.stopPropagation();
								actions.close(panel);
							}}><Icon name="close" size={10} /></span>
					</div>
				))}
			</div>
			<button type="button" class={`ui-icon-button is-small${isMaximised ? " is-on" : ""}`}
				aria-pressed={isMaximised} aria-label={isMaximised ? "Restore" : "Maximise"}
				title={isMaximised ? "Restore (Enter)" : "Maximise (Enter)"}
				onClick={() => actions.maximise(active)}><Icon name="maximise" size={12} /></button>
			<MenuButton label="Panel menu" class="ui-icon-button is-small" isRight
				entries={() => [...tabEntries(group, actions), ...menuOf(active, isMaximised,
					actions)]}><Icon name="more" size={12} /></MenuButton>
			{menu && <Menu label="Panel menu" place={menu.place} onClose={() => setMenu(null)}
				entries={menuOf(menu.panel, isMaximised, actions)} />}
		</div>
	);
}
