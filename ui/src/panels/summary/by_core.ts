// SPDX-License-Identifier: Apache-2.0
// Groups tracks by core if they have one, else by their outermost group.

import type { Track } from "../../api/types.ts";

function groupName(tracks: Map<number, Track>, track: Track | undefined): string {
	const core = track?.attributes["pcore_idx"];
	if (core) return `Core ${core}`;
	let outermost: Track | undefined;
	const seen = new Set<number>();
	for (let at = track; at && at.parent !== null && !seen.has(at.id); at = tracks.get(at.parent)) {
		seen.add(at.id);
		outermost = tracks.get(at.parent) ?? outermost;
	}
	const name = outermost?.name ?? "All";
	return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Groups are sorted by name; tracks keep their order. */
export function byCore<T extends { track: number }>(tracks: Track[], found: T[]): [string, T[]][] {
	const byId = new Map(tracks.map((track) => [track.id, track]));
	const groups = new Map<string, T[]>();
	for (const one of found) {
		const name = groupName(byId, byId.get(one.track));
		const list = groups.get(name);
		if (list) list.push(one);
		else groups.set(name, [one]);
	}
	const order = new Intl.Collator("en", { numeric: true });
	return [...groups].sort(([a], [b]) => order.compare(a, b));
}
