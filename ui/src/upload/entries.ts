// SPDX-License-Identifier: Apache-2.0
// Files and whole folders from a drop or an input field.

import type { Chosen } from "./plan.ts";

const MOST_FILES = 20_000; // a drop of a home folder is a mistake

function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
	const reader = folder.createReader();
	const all: FileSystemEntry[] = [];
	// A reader gives a hundred at a time and nothing when it has ended.
	return new Promise((resolve, reject) => {
		const next = () => reader.readEntries((some) => {
			if (!some.length) return resolve(all);
			all.push(...some);
			next();
		}, reject);
		next();
	});
}

async function walk(entry: FileSystemEntry, into: Chosen[]): Promise<void> {
	if (into.length >= MOST_FILES)
		throw new Error(`There are more than ${MOST_FILES} files in this folder.`);
	if (entry.isFile) {
		const file = await new Promise<File>((resolve, reject) =>
			(entry as FileSystemFileEntry).file(resolve, reject));
		into.push({ path: entry.fullPath.replace(/^\//, ""), file });
	} else if (entry.isDirectory) {
		for (const child of await readFolder(entry as FileSystemDirectoryEntry)) await walk(child,
			into);
	}
}

/** Must be called in the event itself: a drop's items are gone after it. */
export function filesOfDrop(transfer: DataTransfer): Promise<Chosen[]> {
	const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
	const plain = [...transfer.files].map((file): Chosen => ({ path: file.name, file }));
	return (async () => {
		if (!entries.some(Boolean)) return plain;
		const all: Chosen[] = [];
		for (const entry of entries) if (entry) await walk(entry, all);
		return all;
	})();
}

export function filesOfInput(input: HTMLInputElement): Chosen[] {
	const all = [...(input.files ?? [])].map((file): Chosen =>
		({ path: file.webkitRelativePath || file.name, file }));
	input.value = ""; // so that choosing the same again is a change
	return all;
}
