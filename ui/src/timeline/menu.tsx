// SPDX-License-Identifier: Apache-2.0
// The context menu of a timeline.

import { Menu as OpenMenu, type MenuEntry } from "../shell/menu.tsx";
import { useStore } from "../store.ts";
import type { Actions, MenuState } from "./actions.ts";
import { timeText } from "./ticks.ts";

function entriesOf(actions: Actions, { timeNs, placed, hit }: MenuState): MenuEntry[] {
	const entries: MenuEntry[] = [];
	const lane = hit ?? (placed?.row.kind === "spans" ? placed.row.lanes[0] : undefined) ?? null;
	if (hit?.table) {
		const event = { table: hit.table, row: hit.row };
		entries.push({ title: "Zoom to this event", note: "Double click",
			run: () => void actions.zoomToEvent(event) });
		entries.push({ title: "Show details", note: "Enter",
			run: () => actions.stage.context.reveal(event) });
		if (hit.table === "Instruction")
			entries.push({ title: "Show source line", note: "O",
				run: () => void actions.openSource(event) });
		entries.push("line");
	}
	entries.push({ title: "Set marker here", note: timeText(timeNs),
		run: () => void actions.markers.addSnapped(timeNs, lane) });
	entries.push({ title: "Copy link to this view", run: () => void actions.copyLink() });
	if (!placed) return entries;
	const { row } = placed;
	const change = (how: "fold" | "pin" | "hide") => () => actions.changeRow(how, row.key);
	entries.push("line");
	if (row.kind === "group") {
		entries.push({ title: row.isFolded ? "Unfold group" : "Fold group", note: "C",
			run: change("fold") });
	} else {
		entries.push({ title: "Select this row as a box", run: () => actions.boxRow(placed) });
		entries.push({ title: row.isPinned ? "Unpin row" : "Pin row to the top", note: "T",
			run: change("pin") });
		if (row.lineCount > 1)
			entries.push({ title: row.isFolded ? "Show all depths" : "Fold into one line", note: "C",
				run: change("fold") });
	}
	entries.push({ title: row.kind === "group" ? "Hide group" : "Hide row", note: "H",
		run: change("hide") });
	return entries;
}

export function Menu({ actions }: { actions: Actions }) {
	const state = useStore(actions.menu);
	return state && <OpenMenu key={`${state.x},${state.y}`} label="Timeline"
		entries={entriesOf(actions, state)} place={{ left: state.x, top: state.y }}
		onClose={() => actions.menu.set(null)} />;
}
