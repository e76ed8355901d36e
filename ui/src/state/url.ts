// SPDX-License-Identifier: Apache-2.0
// Converts the state of a profile's page to and from the query of its URL, so that a link
// reproduces the page. Defaults are left out. Invalid values are ignored: links are typed by hand,
// truncated or made by other versions.

import type { ColourBy, EventRef, Marker, SearchQuery, Settings, View } from "../contract.ts";
import { COLOURS } from "./choices.ts";

export interface PageState {
	view: View | null; // null: the initial view
	session: string | null; // whose times are the view, in links of lists; never written
	selected: EventRef | null;
	search: SearchQuery | null;
	settings: Settings;
	dock: string; // see dock/text.ts; "": the default
	annotationSet: string;
	markers: Marker[];
}

export const DEFAULT_SETTINGS: Settings = {
	colourBy: "name", rows: "minimal", grouping: "default",
	pinned: [], hidden: [], collapsed: [], order: [],
	showBands: true, showDependencies: true, showText: true, showCumulative: true, snap: true,
	dmaBy: "queue", coreOrder: "last", layerDepth: 0, semaphores: [],
};

const LISTS = { pin: "pinned", hide: "hidden", fold: "collapsed", order: "order" } as const;
const SWITCHES = {
	bands: "showBands", arrows: "showDependencies", names: "showText", cumulative: "showCumulative",
	snap: "snap",
} as const; // on unless the link has 0
const MOST_MARKERS = 50;
const MOST_SEMAPHORES = 256;
const DEEPEST_LAYER = 20;

/** Nanoseconds with up to three decimals (for deep zooms), never in exponent form. */
function timeText(ns: number): string {
	return ns.toFixed(3).replace(/\.?0+$/, "");
}

function timeOf(text: string | null): number | null {
	return text !== null && /^-?\d{1,16}(\.\d{1,6})?$/.test(text) ? Number(text) : null;
}

function putSettings(query: URLSearchParams, settings: Settings): void {
	if (settings.colourBy !== DEFAULT_SETTINGS.colourBy) query.set("colour", settings.colourBy);
	if (settings.rows !== DEFAULT_SETTINGS.rows) query.set("rows", settings.rows);
	if (settings.grouping !== DEFAULT_SETTINGS.grouping) query.set("grouping", settings.grouping);
	for (const [key, field] of Object.entries(LISTS))
		for (const row of settings[field]) query.append(key, row);
	for (const [key, field] of Object.entries(SWITCHES)) if (!settings[field]) query.set(key, "0");
	if (settings.dmaBy !== DEFAULT_SETTINGS.dmaBy) query.set("dma", settings.dmaBy);
	if (settings.coreOrder !== DEFAULT_SETTINGS.coreOrder) query.set("cores", settings.coreOrder);
	if (settings.layerDepth) query.set("layers", String(settings.layerDepth));
	if (settings.semaphores.length) query.set("semaphores", settings.semaphores.join(" "));
}

function numbersOf(text: string | null): number[] {
	const numbers = (text ?? "").split(/[ ,+]+/).filter((one) => /^\d{1,6}$/.test(one)).map(Number);
	return [...new Set(numbers)].slice(0, MOST_SEMAPHORES);
}

const isOn = (query: URLSearchParams, key: keyof typeof SWITCHES) => query.get(key) !== "0";

function settingsFrom(query: URLSearchParams): Settings {
	const colourBy = query.get("colour") as ColourBy;
	return {
		colourBy: COLOURS.some(({ id }) => id === colourBy) ? colourBy : DEFAULT_SETTINGS.colourBy,
		rows: query.get("rows") === "full" ? "full" : DEFAULT_SETTINGS.rows,
		grouping: query.get("grouping") || DEFAULT_SETTINGS.grouping,
		pinned: query.getAll("pin"),
		hidden: query.getAll("hide"),
		collapsed: query.getAll("fold"),
		order: query.getAll("order"),
		showBands: isOn(query, "bands"),
		showDependencies: isOn(query, "arrows"),
		showText: isOn(query, "names"),
		showCumulative: isOn(query, "cumulative"),
		snap: isOn(query, "snap"),
		dmaBy: query.get("dma") === "engine" ? "engine" : DEFAULT_SETTINGS.dmaBy,
		coreOrder: query.get("cores") === "first" ? "first" : DEFAULT_SETTINGS.coreOrder,
		layerDepth: Math.min(numbersOf(query.get("layers"))[0] ?? 0, DEEPEST_LAYER),
		semaphores: numbersOf(query.get("semaphores")),
	};
}

/** The name comes last because it may contain the separator. */
function markerText(marker: Marker): string {
	return [marker.id, timeText(marker.timeNs), marker.colour, marker.diffTo ?? "",
		marker.name].join("~");
}

function markerOf(text: string): Marker | null {
	const [id, time, colour, diffTo, ...name] = text.split("~");
	const timeNs = timeOf(time ?? null);
	if (!id || timeNs === null || colour === undefined || diffTo === undefined) return null;
	return { id, timeNs, colour, diffTo: diffTo || null, name: name.join("~") };
}

export function queryOf(state: PageState): string {
	const query = new URLSearchParams();
	if (state.view) {
		query.set("from", timeText(state.view.fromNs));
		query.set("to", timeText(state.view.toNs));
	}
	if (state.selected) query.set("event", `${state.selected.table}:${state.selected.row}`);
	if (state.search) {
		query.set("find", state.search.table);
		for (const where of state.search.where) query.append("where", where);
		if (state.search.text) query.set("text", state.search.text);
		if (state.search.isFilter) query.set("filter", "1");
	}
	putSettings(query, state.settings);
	if (state.dock) query.set("panels", state.dock);
	if (state.annotationSet) query.set("annotations", state.annotationSet);
	for (const marker of state.markers.slice(0, MOST_MARKERS)) query.append("mark",
		markerText(marker));
	const text = query.toString();
	return text ? `?${text}` : "";
}

export function stateOf(queryText: string): PageState {
	const query = new URLSearchParams(queryText);
	const fromNs = timeOf(query.get("from"));
	const toNs = timeOf(query.get("to"));
	const [, table, row] = /^(\w+):(\d{1,20})$/.exec(query.get("event") ?? "") ?? [];
	const find = query.get("find");
	return {
		view: fromNs !== null && toNs !== null && fromNs < toNs ? { fromNs, toNs } : null,
		session: query.get("session"),
		selected: table && row ? { table, row } : null,
		search: find === null ? null
			: { table: find, where: query.getAll("where"), text: query.get("text") ?? "",
				...(query.get("filter") === "1" ? { isFilter: true } : {}) },
		settings: settingsFrom(query),
		dock: query.get("panels") ?? "",
		annotationSet: query.get("annotations") ?? "",
		markers: query.getAll("mark").map(markerOf).filter((marker) => marker !== null),
	};
}
