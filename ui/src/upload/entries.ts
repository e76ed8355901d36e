// SPDX-License-Identifier: Apache-2.0
// Files and folders from a drop or an input field.

import type { Chosen } from "./plan.ts";

const MOST_FILES = 20_000; // more is a mistake, such as a dropped home folder

function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
	const reader = folder.createReader();
	const all: FileSystemEntry[] = [];
	// readEntries returns up to a hundred entries at a time, and none at the end.
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

/** Call it during the event: the items of a drop are not available later. */
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
	input.value = ""; // so that choosing the same file again fires an event
	return all;
}
