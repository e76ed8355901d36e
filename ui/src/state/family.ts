// SPDX-License-Identifier: Apache-2.0
// Profiles captured together: a system profile and its device profiles. Pure.

import type { Profile } from "../api/types.ts";

/** By the name of their parent. A parent that is not listed has none. */
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
 * The latest by some moment, each family once under its parent's name: a capture of many devices
 * must not push everything else out. 0 is never.
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
