// SPDX-License-Identifier: Apache-2.0
// Profiles captured together: a system profile and its device profiles.

import type { Profile } from "../api/types.ts";

/** Children by the name of their parent, for parents in the list. */
export function childrenOf(profiles: Profile[]): Map<string, Profile[]> {
	const names = new Set(profiles.map((profile) => profile.name));
	const families = new Map<string, Profile[]>();
	for (const profile of profiles) {
		if (profile.parent === null || !names.has(profile.parent)) continue;
		const family = families.get(profile.parent);
		if (family) family.push(profile);
		else families.set(profile.parent, [profile]);
	}
	return families;
}

/**
 * The most recent profiles by some time (0: never). A family counts as one entry, its parent, so
 * that a capture with many devices does not fill the list.
 */
export function latest(profiles: Profile[], momentOf: (profile: Profile) => number, most: number):
	Profile[] {
	const byName = new Map(profiles.map((profile) => [profile.name, profile]));
	const moments = new Map<Profile, number>();
	for (const profile of profiles) {
		const moment = momentOf(profile);
		const head = byName.get(profile.parent ?? "") ?? profile;
		if (moment) moments.set(head, Math.max(moment, moments.get(head) ?? 0));
	}
	return [...moments].sort((a, b) => b[1] - a[1]).slice(0, most).map(([profile]) => profile);
}
