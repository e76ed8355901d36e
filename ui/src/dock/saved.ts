// SPDX-License-Identifier: Apache-2.0
// The initial layout of a page: from the link, else the last one used for this kind of profile,
// else the default. Also named layouts, which the server stores.

import type { PanelKind, ProfileContext } from "../contract.ts";
import { recall, remember } from "../state/remember.ts";
import { group, keepKnown, split, type Dock } from "./model.ts";
import { dockText, parseDock } from "./text.ts";

type Kind = ProfileContext["details"]["kind"];

export const TIMELINE = "timeline";
const USUAL_TABS = ["overall-summary", "operator-table", "search", "current-selection",
	"annotations", "device-profiles", "source-code", "flows", "memory-usage", "warnings"];
const USUAL_SIDE = ["event-details"];
const MOST_TABS = 6;
const MOST_NARROW_TABS = 4; // more would be scrolled out of view
const WIDE_PX = 1200, ROOMY_PX = 1400;
const LOW_PX = 800; // below this height, tables need more than half of the page

/** The timeline at the top, panels below; on wide screens the event details are at the right. */
export function usualDock(kinds: PanelKind[], widthPx: number, heightPx = Infinity): Dock {
	const known = kinds.map((kind) => kind.id).filter((id) => id !== TIMELINE);
	const chosen = USUAL_TABS.filter((id) => known.includes(id));
	const side = USUAL_SIDE.filter((id) => known.includes(id));
	const rest = known.filter((id) => !chosen.includes(id) && !side.includes(id));
	const tabs = [...chosen, ...rest]
		.slice(0, widthPx < ROOMY_PX ? MOST_NARROW_TABS : MOST_TABS);
	const timeline = group([TIMELINE]);
	const shares = heightPx < LOW_PX ? [46, 54] : [54, 46];
	if (!tabs.length && !side.length) return { root: timeline, maximised: null };
	if (!tabs.length || !side.length || widthPx < WIDE_PX)
		return { root: split("column", [timeline, group([...side, ...tabs])], shares),
			maximised: null };
	const below = split("row", [group(tabs), group(side)], [64, 36]);
	return { root: split("column", [timeline, below], shares), maximised: null };
}

export function firstDock(linkText: string, kind: Kind, kinds: PanelKind[],
	screen: { innerWidth: number; innerHeight: number }): Dock {
	const isKnown = (panel: string) => kinds.some((one) => one.id === panel);
	const isText = (value: unknown) => typeof value === "string";
	for (const text of [linkText, recall<string>(`layout.${kind}`, isText) ?? ""]) {
		const dock = parseDock(text);
		if (dock) return keepKnown(dock, isKnown);
	}
	return usualDock(kinds, screen.innerWidth, screen.innerHeight);
}

export function rememberDock(kind: Kind, dock: Dock): void {
	if (dock.root) remember(`layout.${kind}`, dockText(dock));
}

interface SavedLayout {
	version: 1;
	dock: string;
}

export const savedLayout = (dock: Dock): SavedLayout => ({ version: 1, dock: dockText(dock) });

export function dockOfSaved(saved: unknown): Dock | null {
	const text = (saved as SavedLayout | null)?.dock;
	return typeof text === "string" ? parseDock(text) : null;
}
