// SPDX-License-Identifier: Apache-2.0
// Key bindings, and their descriptions for the help.

import type { HelpSection } from "../shell/help.tsx";

export type Command =
	| "in" | "out" | "left" | "right" | "pageLeft" | "pageRight" | "fit" | "start" | "end"
	| "clear" | "box" | "marker" | "next" | "previous" | "details" | "help" | "zoomToSelection"
	| "rowUp" | "rowDown" | "pin" | "fold" | "hide" | "menu" | "source";

interface KeyPress {
	key: string;
	shiftKey: boolean;
	ctrlKey: boolean;
	metaKey: boolean;
	altKey: boolean;
}

const PLAIN: Record<string, Command> = {
	w: "in", ArrowUp: "in", "+": "in", "=": "in",
	s: "out", ArrowDown: "out", "-": "out", _: "out",
	a: "left", ArrowLeft: "left", d: "right", ArrowRight: "right",
	0: "fit", f: "fit", Home: "start", End: "end",
	Escape: "clear", b: "box", m: "marker", n: "next", p: "previous", Enter: "details", "?": "help",
	z: "zoomToSelection", j: "rowDown", k: "rowUp", t: "pin", c: "fold", h: "hide",
	ContextMenu: "menu", o: "source",
};

const WITH_SHIFT: Record<string, Command> = {
	ArrowLeft: "pageLeft", ArrowRight: "pageRight", ArrowUp: "rowUp", ArrowDown: "rowDown",
	a: "pageLeft", d: "pageRight", F10: "menu",
};

export function commandOf(press: KeyPress): Command | null {
	if (press.ctrlKey || press.metaKey || press.altKey) return null;
	const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
	if (press.shiftKey && WITH_SHIFT[key]) return WITH_SHIFT[key];
	return PLAIN[key] ?? null;
}

export const SHORTCUTS: HelpSection[] = [
	{
		title: "Time",
		keys: [
			{ keys: "Drag", does: "Zoom to a time range" },
			{ keys: "W / S", does: "Zoom in and out (also ↑ ↓, + −)" },
			{ keys: "A / D", does: "Pan left and right (also ← →); with Shift by a page" },
			{ keys: "Ctrl + wheel", does: "Zoom at the pointer (on the axis without Ctrl)" },
			{ keys: "Shift + drag", does: "Pan (also drag the axis, Shift + wheel)" },
			{ keys: "F / 0", does: "Show all events; press again for the whole profile" },
			{ keys: "Home / End", does: "Go to the beginning or the end" },
			{ keys: "Back / Forward", does: "Undo or redo a jump (the browser's buttons)" },
		],
	},
	{
		title: "Events",
		keys: [
			{ keys: "Click", does: "Select an event" },
			{ keys: "Double click / Z", does: "Zoom to the event" },
			{ keys: "N / P", does: "Next and previous event of the row" },
			{ keys: "Enter", does: "Show the event's details" },
			{ keys: "Ctrl + click / O", does: "Show the event's source line (⌘ + click on a Mac)" },
			{ keys: "B", does: "Select a box by dragging" },
			{ keys: "M", does: "Set a marker at the pointer" },
			{ keys: "Drag a flag", does: "Move a marker; it snaps to events, with Alt it does not" },
			{ keys: "Esc", does: "Clear box and selection" },
		],
	},
	{
		title: "Rows",
		keys: [
			{ keys: "Wheel", does: "Scroll the rows" },
			{ keys: "J / K", does: "Go to the next or previous row (also Shift + ↓ ↑)" },
			{ keys: "T", does: "Pin the row to the top, or unpin it" },
			{ keys: "C", does: "Fold or unfold the row or group" },
			{ keys: "H", does: "Hide the row" },
			{ keys: "Right click", does: "Open a menu with these commands" },
		],
	},
];
