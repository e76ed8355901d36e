// SPDX-License-Identifier: Apache-2.0
// The rows of the table: device profiles are folded under the system profile they came with.

import type { Profile, Session } from "../../api/types.ts";
import { pluralText } from "../../shell/words.ts";
import { childrenOf } from "../../state/family.ts";
import { inOrder, isIn, matches, type ListQuery, type Sort } from "./list.ts";

export interface FoldedRow {
	profile: Profile;
	isChild: boolean;
	children: Profile[]; // shown if the row is open
	isOpen: boolean;
	sessions: Session[]; // of its run, newest first; shown if the row is open
	run?: RunHead; // set on the first row of a run with several profiles
	isOfRun?: boolean; // on all of its rows
}

export interface RunHead {
	name: string;
	profileCount: number;
	sessionCount: number;
}

/** The order of a capture's devices: by name if the sort key is the same for all. */
function inside(sort: Sort): Sort {
	return sort.key === "created" || sort.key === "opened" || sort.key === "kind" ||
		sort.key === "folder" ? { key: "name", isDescending: false } : sort;
}

interface Head {
	profile: Profile;
	children: Profile[];
	isFound: boolean; // it matches itself, not only through its children
	openedMs: number; // the latest of the profile and its children
}

function headsOf(profiles: Profile[], query: ListQuery): Head[] {
	const text = query.text.trim();
	const isWanted = (profile: Profile) => isIn(profile, query) && matches(profile, text);
	// Favourites and profiles in folders were chosen individually, so they are not folded.
	const chosen = query.tab === "favourites" ? []
		: query.tab === "folders" ? profiles.filter((profile) => isIn(profile, query)) : profiles;
	const families = childrenOf(profiles);
	const parents = new Set(chosen.map((profile) => profile.name));
	const heads: Head[] = [];
	for (const profile of profiles) {
		if (profile.parent !== null && parents.has(profile.parent)) continue;
		const family = parents.has(profile.name) ? families.get(profile.name) ?? [] : [];
		const isFound = isWanted(profile);
		const found = family.filter((child) => (query.tab === "folders" || isIn(child, query)) &&
			matches(child, text));
		if (!isFound && !found.length) continue;
		// If the capture itself matches, any of its devices may be wanted.
		const children = isFound && query.tab !== "viewed" ? family : found;
		heads.push({ profile, children, isFound: isFound || !text,
			openedMs: Math.max(profile.opened_ms, ...found.map((child) => child.opened_ms)) });
	}
	return heads;
}

/**
 * Every matching profile is in a row or folded in one. By default a parent is folded, unless only
 * its children match; `toggled` lists the parents for which it is the other way round.
 */
export function foldedRows(profiles: Profile[], query: ListQuery, toggled: ReadonlySet<string>):
	FoldedRow[] {
	const heads = new Map(headsOf(profiles, query).map((head) => [head.profile, head]));
	const openedOf = (profile: Profile) => heads.get(profile)?.openedMs ?? profile.opened_ms;
	return inOrder([...heads.keys()], query.sort, openedOf).flatMap((profile) => {
		const { children, isFound } = heads.get(profile)!;
		const sessions = sessionsOf(profile);
		const isOpen = !!(children.length || sessions.length) &&
			toggled.has(profile.name) === isFound;
		const row = { profile, isChild: false, children: inOrder(children, inside(query.sort)),
			isOpen, sessions };
		return [row, ...(isOpen ? row.children : []).map((child) =>
			({ profile: child, isChild: true, children: [], isOpen: false, sessions: [] }))];
	});
}

/** Newest first. One that a program recorded itself, alone in its profile, says nothing new. */
export function sessionsOf({ sessions }: Profile): Session[] {
	return sessions.length > 1 || (sessions[0] && sessions[0].kind !== "programmatic")
		? [...sessions].reverse() : [];
}

/** Profiles of one run become neighbours, at the place of the first of them. */
export function groupedByRun(rows: FoldedRow[]): FoldedRow[] {
	interface Block { run: Profile["run"]; rows: FoldedRow[] }
	const blocks: Block[] = [];
	let block: Block | undefined;
	for (const row of rows) {
		const { run } = row.profile;
		const known = run && blocks.find((one) => one.run?.id === run.id);
		if (!row.isChild && !known) blocks.push({ run, rows: [] });
		if (!row.isChild) block = known || blocks[blocks.length - 1]!;
		block!.rows.push(row); // children follow their parent
	}
	return blocks.flatMap(({ run, rows: own }) => {
		const heads = own.filter((row) => !row.isChild);
		if (!run || heads.length < 2) return own;
		const names = new Set(heads.flatMap((row) => row.profile.sessions.map((one) => one.name)));
		const head = { name: run.name, profileCount: heads.length, sessionCount: names.size };
		return own.map((row, i) => ({ ...row, isOfRun: true, ...(i ? {} : { run: head }) }));
	});
}

/** The names of all rows and of the profiles folded in them. */
export function namesIn(rows: FoldedRow[]): string[] {
	return [...new Set(rows.flatMap((row) => [row.profile.name,
		...row.children.map((child) => child.name)]))];
}

/** "2 sessions, 32 device profiles", and problems that should not be hidden. */
export function foldText(children: Profile[], sessions: Session[] = []):
	{ text: string; trouble: string } {
	const busy = children.filter((one) => one.state === "processing" || one.state === "uploading");
	const bad = children.filter((one) => one.state !== "ready").length - busy.length;
	const lost = sessions.filter((session) => session.failed_count).length;
	return { text: [sessions.length && pluralText(sessions.length, "session"),
			children.length && pluralText(children.length, "device profile")]
			.filter(Boolean).join(", "),
		trouble: lost ? `${lost} without some hosts` : bad ? `${bad} not usable`
			: busy.length ? `${busy.length} in progress` : "" };
}

/** Children of the named profiles that are not named themselves. */
export function leftBehind(names: string[], profiles: Profile[]): string[] {
	const gone = new Set(names);
	const left = profiles.filter((one) => one.parent !== null && gone.has(one.parent) &&
		!gone.has(one.name));
	return inOrder(left, { key: "name", isDescending: false }).map((one) => one.name);
}
