// SPDX-License-Identifier: Apache-2.0
// The list of the Profile Manager: filter, order, folders, names.

import type { Profile } from "../../api/types.ts";

export type Tab = "all" | "favourites" | "folders" | "viewed";
export type SortKey = "name" | "state" | "kind" | "size" | "rows" | "created" | "opened" | "folder";

export interface Sort {
	key: SortKey;
	isDescending: boolean;
}

export interface ListQuery {
	tab: Tab;
	text: string;
	folder: string | null; // on the tab "folders"; null: the list of folders
	sort: Sort;
}

export const NAME_MOST = 150;

const natural = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Every word must occur in the name, folder, kind, state or the name of a source. */
export function matches(profile: Profile, text: string): boolean {
	const hay = [profile.name, profile.folder, profile.kind, profile.state,
		...profile.sources.map((source) => source.name)].join("\n").toLowerCase();
	return text.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}

const STATES = ["failed", "damaged", "unfinished", "uploading", "processing", "archived", "ready"];

type MomentOf = (profile: Profile) => number;

function compare(a: Profile, b: Profile, key: SortKey, openedOf: MomentOf): number {
	switch (key) {
	case "name": return natural.compare(a.name, b.name);
	case "kind": return a.kind.localeCompare(b.kind);
	case "folder": return natural.compare(a.folder, b.folder);
	case "state": return STATES.indexOf(a.state) - STATES.indexOf(b.state);
	case "size": return Number(a.size_bytes) - Number(b.size_bytes);
	case "rows": return Number(a.row_count) - Number(b.row_count);
	case "created": return a.created_ms - b.created_ms;
	case "opened": return openedOf(a) - openedOf(b);
	}
}

/** Whether a profile belongs to the tab and folder. */
export function isIn(profile: Profile, { tab, folder }: ListQuery): boolean {
	return tab === "favourites" ? profile.favourite : tab === "viewed" ? profile.opened_ms > 0
		: tab === "folders" ? folder !== null && profile.folder === folder : true;
}

export function inOrder(profiles: Profile[], { key, isDescending }: Sort,
	openedOf: MomentOf = (profile) => profile.opened_ms): Profile[] {
	const sign = isDescending ? -1 : 1;
	return [...profiles].sort((a, b) => sign * compare(a, b, key, openedOf) ||
		natural.compare(a.name, b.name));
}

/** The order after a click on a column's title: texts start ascending, numbers descending. */
export function sortedBy(now: Sort, key: SortKey): Sort {
	if (now.key === key) return { key, isDescending: !now.isDescending };
	return { key, isDescending: key === "size" || key === "rows" || key === "created" ||
		key === "opened" };
}

export interface Folder {
	name: string;
	count: number;
}

/** Folders that contain profiles, and new ones that are still empty. */
export function foldersOf(profiles: Profile[], made: string[]): Folder[] {
	const counts = new Map<string, number>(made.map((name) => [name, 0]));
	for (const { folder } of profiles) if (folder) counts.set(folder, (counts.get(folder) ?? 0) + 1);
	return [...counts].map(([name, count]) => ({ name, count }))
		.sort((a, b) => natural.compare(a.name, b.name));
}

/** Why a profile cannot have this name, or null. */
export function nameFault(name: string, profiles: Profile[], isForce = false): string | null {
	if (!name) return "A profile needs a name.";
	if (name.length > NAME_MOST) return `A name can have at most ${NAME_MOST} characters.`;
	if (name !== name.trim()) return "A name must not begin or end with a space.";
	if (name.startsWith(".")) return "A name must not begin with a dot.";
	if (/[/\\\u0000-\u001f\u007f]/.test(name))
		return "A name must not contain slashes or control characters.";
	if (!isForce && profiles.some((p) => p.name === name))
		return "A profile with this name already exists.";
	return null;
}

export function folderFault(name: string, folders: Folder[]): string | null {
	if (!name.trim()) return "A folder needs a name.";
	if (name.length > 100) return "A folder name can have at most 100 characters.";
	if (/[/\\\u0000-\u001f\u007f]/.test(name)) return "A folder name must not contain slashes.";
	if (folders.some((folder) => folder.name === name.trim()))
		return "A folder with this name already exists.";
	return null;
}

const STATE_TEXTS: Record<Profile["state"], string> = {
	ready: "Ready",
	processing: "Processing",
	uploading: "Uploading",
	failed: "Failed",
	unfinished: "Unfinished",
	damaged: "Damaged",
	archived: "Archived",
};

export const stateText = (state: Profile["state"]): string => STATE_TEXTS[state] ?? state;
