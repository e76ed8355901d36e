// SPDX-License-Identifier: Apache-2.0
// Changes to profiles: shown at once, sent to the server, and reverted if the server refuses.

import type { Profile } from "../../api/types.ts";
import { profileWatch, server } from "../../server.ts";
import { notify } from "../../shell/toasts.tsx";
import { pluralText } from "../../shell/words.ts";

function show(name: string, change: Partial<Profile>): void {
	profileWatch.list.update((now) => ({
		...now,
		profiles: now.profiles.map((one) => one.name === name ? { ...one, ...change } : one),
	}));
}

/** Returns false if the server refused; the user has been notified. */
export async function changeProfile(name: string,
	change: { name?: string; favourite?: boolean; folder?: string }): Promise<boolean> {
	show(name, change);
	try {
		await server.changeProfile(name, change);
		return true;
	} catch (failure) {
		notify((failure as Error).message, "error");
		return false;
	} finally {
		void profileWatch.refresh();
	}
}

export async function moveToFolder(names: string[], folder: string): Promise<void> {
	const done = await Promise.all(names.map((name) => changeProfile(name, { folder })));
	const count = done.filter(Boolean).length;
	if (count) notify(folder ? `${pluralText(count, "profile")} moved to ${folder}.`
		: `${pluralText(count, "profile")} removed from the folder.`);
}

/** A failure is reported; the other deletions continue. */
export async function deleteProfiles(names: string[]): Promise<void> {
	const failures: string[] = [];
	for (const name of names) {
		try {
			await server.deleteProfile(name);
		} catch (failure) {
			failures.push(`${name}: ${(failure as Error).message}`);
		}
	}
	const count = names.length - failures.length;
	if (count) notify(count === 1 && names.length === 1 ? `${names[0]} deleted.`
		: `${pluralText(count, "profile")} deleted.`);
	for (const sentence of failures) notify(sentence, "error");
	void profileWatch.refresh();
}

/** Starts to bring an archived profile back; the list shows when it is ready. */
export async function fetchArchived(name: string): Promise<void> {
	try {
		await server.fetchProfile(name);
		notify(`Fetching ${name} from the archive.`);
	} catch (failure) {
		notify((failure as Error).message, "error");
	}
}
