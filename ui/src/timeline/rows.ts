// SPDX-License-Identifier: Apache-2.0
// Turns tracks and settings into rows: their order, and which are pinned, folded or hidden. A row's
// key is a readable path that is stable between visits, because links contain it.

import type { Settings } from "../contract.ts";
import type { Track } from "../api/types.ts";
import { deviceLeaves, SECTIONS, type DeviceChoices } from "./device_rows.ts";
import { depthsOf, packedLanes } from "./packing.ts";
import { systemLeaves } from "./system_rows.ts";

/** A row before it is placed. */
export interface Leaf {
	key: string;
	group: string; // "": none
	label: string;
	tracks: Track[];
	shares?: Track[]; // the parts of the row's counter
	isCumulative?: boolean; // shows the mean since the start of the profile
	beginsFolded?: boolean;
	foldAbove?: number; // with more rows than this the group starts folded
	source?: string; // what recorded the row's events, if it is only one
	isPacked?: boolean; // tracks that are never busy at the same time share lines
}

/** One depth of one track, and the row's line that shows it. */
export interface Lane {
	track: number;
	depth: number;
	line: number;
}

export interface Row {
	key: string;
	kind: "group" | "spans" | "counter";
	label: string;
	title: string; // for the tooltip
	parent: string; // the group's key, "" at the top level
	tracks: Track[];
	lanes: Lane[];
	lineCount: number;
	shares: Track[]; // the parts of a counter, drawn as stacked areas
	source: string; // what recorded it; "" if unknown or if there are several
	isCumulative: boolean;
	/** A folded group hides its rows; a folded row shows all depths in one line. */
	isFolded: boolean;
	isPinned: boolean;
	rowCount: number; // of a group
}

/** Whether a counter is a share of its parent. */
export const isShareOf = (track: Track, parent: Track | undefined) =>
	track.kind === "counter" && parent?.kind === "counter" &&
	track.attributes["column"] !== undefined;

/** Shares by the id of their parent. */
export function sharesOf(tracks: Track[]): Map<number, Track[]> {
	const byId = new Map(tracks.map((track) => [track.id, track]));
	const shares = new Map<number, Track[]>();
	for (const track of tracks) {
		if (track.parent === null || !isShareOf(track, byId.get(track.parent))) continue;
		const list = shares.get(track.parent);
		if (list) list.push(track);
		else shares.set(track.parent, [track]);
	}
	return shares;
}

/** The most lines in one row; the tooltip says how many more there are. */
export const MAX_LANES = 48;

/** Rows of packed tracks with more lines than this start folded. */
export const FOLD_ABOVE_LINES = 24;

type RowSettings = DeviceChoices &
	Pick<Settings, "rows" | "grouping" | "pinned" | "hidden" | "collapsed" | "order">;

/** `collapsed` lists the rows that are not in their initial state, folded or open. */
const isFolded = (key: string, beginsFolded: boolean, settings: RowSettings) =>
	settings.collapsed.includes(key) !== beginsFolded;

function stackedLanes(tracks: Track[]): Lane[] {
	const lanes: Lane[] = [];
	for (const track of tracks)
		for (let depth = 0; depth < depthsOf(track); depth++)
			if (lanes.length < MAX_LANES) lanes.push({ track: track.id, depth, line: lanes.length });
	return lanes;
}

function rowOfLeaf(leaf: Leaf, settings: RowSettings): Row {
	const kind = leaf.tracks[0]!.kind === "counter" ? "counter" : "spans";
	const lanes = leaf.isPacked ? packedLanes(leaf.tracks, MAX_LANES) : stackedLanes(leaf.tracks);
	const lineCount = lanes.reduce((most, lane) => Math.max(most, lane.line + 1), 0);
	const depths = leaf.tracks.reduce((sum, track) => sum + depthsOf(track), 0);
	const lost = leaf.tracks.reduce((sum, track) => sum + Number(track.lost_count), 0);
	const notes = [
		depths > lanes.length ? `${depths - lanes.length} more levels are not shown` : "",
		lost ? `${lost} events could not be drawn` : "",
	].filter((note) => note);
	return {
		key: leaf.key, kind, label: shortened(leaf.label), parent: leaf.group, tracks: leaf.tracks,
		lanes, lineCount, source: leaf.source ?? "", shares: leaf.shares ?? [],
		isCumulative: leaf.isCumulative ?? false,
		title: [leaf.group && !leaf.key.startsWith(leaf.group) ? `${leaf.group}/${leaf.label}` :
			leaf.key, ...notes].join("\n"),
		isFolded: kind === "spans" && lineCount > 1 &&
			isFolded(leaf.key, leaf.beginsFolded || (!!leaf.isPacked && lineCount > FOLD_ABOVE_LINES),
				settings),
		isPinned: settings.pinned.includes(leaf.key), rowCount: 0,
	};
}

/** Makes keys unique: two tracks may have the same name. */
function uniqueKeys(leaves: Leaf[]): Leaf[] {
	const seen = new Map<string, number>();
	return leaves.map((leaf) => {
		const times = (seen.get(leaf.key) ?? 0) + 1;
		seen.set(leaf.key, times);
		return times === 1 ? leaf : { ...leaf, key: `${leaf.key}#${times}` };
	});
}

/**
 * `order` lists the moved rows in their new order. They swap places among themselves; all other
 * rows stay where they are, so the list is short.
 */
export function applyOrder<T extends { key: string }>(items: T[], order: string[]): T[] {
	const place = new Map(order.map((key, index) => [key, index]));
	const moved = items.filter((item) => place.has(item.key))
		.sort((a, b) => place.get(a.key)! - place.get(b.key)!);
	if (!moved.length) return items;
	let next = 0;
	return items.map((item) => (place.has(item.key) ? moved[next++]! : item));
}

/** The new `order` after `key` was dropped before `before` ("": at the end) among its siblings. */
export function moveRow(order: string[], siblings: string[], key: string,
	before: string): string[] {
	const from = siblings.indexOf(key);
	if (from < 0 || key === before) return order;
	const without = siblings.filter((one) => one !== key);
	const to = before === "" ? without.length : without.indexOf(before);
	if (to < 0 || to === from) return order;
	const after = [...without.slice(0, to), key, ...without.slice(to)];
	const touched = new Set(after.slice(Math.min(from, to), Math.max(from, to) + 1));
	for (const one of order) if (siblings.includes(one)) touched.add(one);
	return [...order.filter((one) => !siblings.includes(one)),
		...after.filter((one) => touched.has(one))];
}

/** Shortens instance ids, which differ at the end. */
export const shortened = (label: string) =>
	label.replace(/\bi-[0-9a-f]{8,}([0-9a-f]{6})\b/g, "i-…$1");

interface Group {
	key: string;
	label: string;
	leaves: Leaf[];
	beginsFolded: boolean;
}

function groupsOf(leaves: Leaf[], isDevice: boolean, settings: RowSettings): Group[] {
	const groups = new Map<string, Group>();
	for (const leaf of leaves) {
		const group = groups.get(leaf.group);
		if (group) group.leaves.push(leaf);
		else groups.set(leaf.group,
			{ key: leaf.group, label: leaf.group, leaves: [leaf], beginsFolded: false });
	}
	for (const group of groups.values()) {
		const section = isDevice ? SECTIONS.find((one) => one.key === group.key) : undefined;
		if (section) group.label = section.label;
		const foldAbove = section?.foldAbove ?? group.leaves[0]?.foldAbove;
		// If the user has chosen semaphores, show them.
		const isWanted = group.key === "semaphores" && settings.semaphores.length > 0;
		group.beginsFolded = !isWanted && foldAbove !== undefined && group.leaves.length > foldAbove;
	}
	return [...groups.values()];
}

/** Cached for system profiles: there may be thousands, and every fold rebuilds the rows. */
const systemsLeaves = new WeakMap<Track[], { grouping: string; leaves: Leaf[] }>();

function allLeaves(kind: "device" | "system", tracks: Track[], settings: RowSettings): Leaf[] {
	if (kind === "device") return uniqueKeys(deviceLeaves(tracks, settings));
	const { grouping } = settings;
	const known = systemsLeaves.get(tracks);
	if (known?.grouping === grouping) return known.leaves;
	const leaves = uniqueKeys(systemLeaves(tracks, grouping));
	systemsLeaves.set(tracks, { grouping, leaves });
	return leaves;
}

/** The row and group of a track, even if they are hidden. */
export function placeOfTrack(kind: "device" | "system", tracks: Track[], settings: RowSettings,
	track: number): { key: string; group: string } | null {
	return allLeaves(kind, tracks, settings)
		.find((leaf) => leaf.tracks.some((one) => one.id === track)) ?? null;
}

/** Pinned rows first, then groups with their rows. */
export function buildRows(kind: "device" | "system", tracks: Track[],
	settings: RowSettings): Row[] {
	const isDevice = kind === "device";
	const all = allLeaves(kind, tracks, settings);
	const minimal = new Set(SECTIONS.filter((one) => one.inMinimalView).map((one) => one.key));
	const wanted = isDevice && settings.rows === "minimal"
		? all.filter((leaf) => minimal.has(leaf.group) || settings.pinned.includes(leaf.key))
		: all;
	const shown = wanted.filter((leaf) => !settings.hidden.includes(leaf.key) &&
		!settings.hidden.includes(leaf.group));
	const pinned = settings.pinned.flatMap((key) => shown.filter((leaf) => leaf.key === key));
	const rows = pinned.map((leaf) => rowOfLeaf(leaf, settings));
	for (const group of applyOrder(groupsOf(shown, isDevice, settings), settings.order)) {
		const rest = applyOrder(group.leaves, settings.order)
			.filter((leaf) => !settings.pinned.includes(leaf.key));
		const folded = group.key !== "" && isFolded(group.key, group.beginsFolded, settings);
		if (group.key !== "" && rest.length) rows.push(groupRow(group, rest.length, folded));
		if (!folded) rows.push(...rest.map((leaf) => rowOfLeaf(leaf, settings)));
	}
	return rows;
}

function groupRow(group: Group, rowCount: number, folded: boolean): Row {
	return {
		key: group.key, kind: "group", label: shortened(group.label), parent: "", title: group.label,
		tracks: [], lanes: [], lineCount: 0, source: "", shares: [], isCumulative: false,
		isFolded: folded, isPinned: false, rowCount,
	};
}

const toggled = (list: string[], key: string) =>
	list.includes(key) ? list.filter((one) => one !== key) : [...list, key];

export const togglePinned = (s: Settings, key: string): Settings =>
	({ ...s, pinned: toggled(s.pinned, key) });
export const toggleFolded = (s: Settings, key: string): Settings =>
	({ ...s, collapsed: toggled(s.collapsed, key) });
export const hideRow = (s: Settings, key: string): Settings => ({
	...s, hidden: [...s.hidden, key], pinned: s.pinned.filter((one) => one !== key),
});
export const showAllRows = (s: Settings): Settings => ({ ...s, hidden: [] });
