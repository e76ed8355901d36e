// SPDX-License-Identifier: Apache-2.0
// The table's rows: profiles of devices are folded under the system profile they came with. Pure.

import type { Profile } from "../../api/types.ts";
import { pluralText } from "../../shell/words.ts";
import { childrenOf } from "../../state/family.ts";
import { inOrder, isIn, matches, type ListQuery, type Sort } from "./list.ts";

export interface FoldedRow {
	profile: Profile;
	isChild: boolean;
	children: Profile[]; // those the row unfolds to
	isOpen: boolean;
}

/** One capture's devices were all added at once; then only their names say an order. */
function inside(sort: Sort): Sort {
	return sort.key === "created" || sort.key === "opened" || sort.key === "kind" ||
		sort.key === "folder" ? { key: "name", isDescending: false } : sort;
}

interface Head {
	profile: Profile;
	children: Profile[];
	isFound: boolean; // itself, not only some of its children
	openedMs: number; // a capture was seen when one of its devices was
}

function headsOf(profiles: Profile[], query: ListQuery): Head[] {
	const text = query.text.trim();
	const isWanted = (profile: Profile) => isIn(profile, query) && matches(profile, text);
	// Favourites and profiles in folders were chosen one by one: no parent stands in for them.
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
		// a search that finds a capture by name may be for any of its devices
		const children = isFound && query.tab !== "viewed" ? family : found;
		heads.push({ profile, children, isFound: isFound || !text,
			openedMs: Math.max(profile.opened_ms, ...found.map((child) => child.opened_ms)) });
	}
	return heads;
}

/**
 * Every profile the query asks for is in one row or folded in one.
 * @param toggled parents whose default is inverted: folded, unless only their children match
 */
export function foldedRows(profiles: Profile[], query: ListQuery, toggled: ReadonlySet<string>):
	FoldedRow[] {
	const heads = new Map(headsOf(profiles, query).map((head) => [head.profile, head]));
	const openedOf = (profile: Profile) => heads.get(profile)?.openedMs ?? profile.opened_ms;
	return inOrder([...heads.keys()], query.sort, openedOf).flatMap((profile) => {
		const { children, isFound } = heads.get(profile)!;
		const isOpen = !!children.length && toggled.has(profile.name) === isFound;
		const row = { profile, isChild: false, children: inOrder(children, inside(query.sort)),
			isOpen };
		return [row, ...(isOpen ? row.children : []).map((child) =>
			({ profile: child, isChild: true, children: [], isOpen: false }))];
	});
}

/** Of all rows, also what is folded in them, each once. */
export function namesIn(rows: FoldedRow[]): string[] {
	return [...new Set(rows.flatMap((row) => [row.profile.name,
		...row.children.map((child) => child.name)]))];
}

/** "32 device profiles", and what should not be hidden in a fold. */
export function foldText(children: Profile[]): { text: string; trouble: string } {
	const busy = children.filter((one) => one.state === "processing" || one.state === "uploading");
	const bad = children.filter((one) => one.state !== "ready").length - busy.length;
	return { text: pluralText(children.length, "device profile"),
		trouble: bad ? `${bad} not usable` : busy.length ? `${busy.length} in progress` : "" };
}

/** Children of profiles to delete that would stay. */
export function leftBehind(names: string[], profiles: Profile[]): string[] {
	const gone = new Set(names);
	const left = profiles.filter((one) => one.parent !== null && gone.has(one.parent) &&
		!gone.has(one.name));
	return inOrder(left, { key: "name", isDescending: false }).map((one) => one.name);
}
