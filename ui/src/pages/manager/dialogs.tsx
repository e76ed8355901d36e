// SPDX-License-Identifier: Apache-2.0
// The Profile Manager's dialogs: confirm deletion, choose a folder.

import { useState } from "preact/hooks";
import type { Profile } from "../../api/types.ts";
import { Dialog } from "../../shell/dialog.tsx";
import { pluralText } from "../../shell/words.ts";
import { deleteProfiles, moveToFolder } from "./actions.ts";
import { leftBehind } from "./fold.ts";
import { folderFault, type Folder } from "./list.ts";

const SHOWN_NAMES = 8;

export function DeleteDialog({ names: asked, profiles, onClose }: { names: string[];
	profiles: Profile[]; onClose: (isDone: boolean) => void }) {
	const [typed, setTyped] = useState("");
	const children = leftBehind(asked, profiles);
	// If the user has chosen some of a capture's devices, the others should stay.
	const [isWhole, setWhole] = useState(() => !profiles.some((one) => one.parent !== null &&
		asked.includes(one.parent) && asked.includes(one.name)));
	const names = isWhole ? [...asked, ...children] : asked;
	const isSure = typed === "delete";
	const remove = () => {
		if (!isSure) return;
		void deleteProfiles(names);
		onClose(true);
	};
	return (
		<Dialog title={`Delete ${pluralText(names.length, "profile")}`} onClose={() => onClose(false)}
			onSubmit={remove} foot={<>
				<button type="button" class="ui-button"
					onClick={() => onClose(false)}>Cancel</button>
				<button type="submit" class="ui-button is-danger" disabled={!isSure}>Delete</button>
			</>}>
			<p class="ui-notice is-warning">This cannot be undone. The profile's tables and
				annotations are deleted, and links to it stop working. The NEFF and NTFF files
				it was made from are kept.</p>
			<ul class="pm-names">
				{names.slice(0, SHOWN_NAMES).map((name) => <li key={name} class="ui-mono">{name}</li>)}
				{names.length > SHOWN_NAMES && <li class="ui-dim">
					and {names.length - SHOWN_NAMES} more</li>}
			</ul>
			{!!children.length && <label class="pm-whole"><input type="checkbox" class="ui-check"
				checked={isWhole} onChange={(event) => setWhole(event.currentTarget.checked)} />
				Also delete the {pluralText(children.length, "device profile")} captured with it
			</label>}
			<div class="ui-field">
				<label for="delete-word">To confirm, type <code>delete</code></label>
				<input id="delete-word" class="ui-input" data-autofocus autocomplete="off" value={typed}
					onInput={(event) => setTyped(event.currentTarget.value)} />
			</div>
		</Dialog>
	);
}

export function FolderDialog({ names, folders, onMade, onClose }: {
	names: string[]; // profiles to move; none: only create the folder
	folders: Folder[];
	onMade: (folder: string) => void;
	onClose: () => void;
}) {
	const [chosen, setChosen] = useState<string | null>(
		names.length && folders.length ? folders[0]!.name : null);
	const [typed, setTyped] = useState("");
	const isNew = chosen === null;
	const fault = isNew ? folderFault(typed, folders) : null;
	const save = () => {
		if (fault) return;
		const folder = isNew ? typed.trim() : chosen;
		if (isNew) onMade(folder);
		if (names.length) void moveToFolder(names, folder);
		onClose();
	};
	return (
		<Dialog title={names.length ? `Move ${pluralText(names.length, "profile")} to a folder`
			: "Create folder"}
			onClose={onClose} onSubmit={save} foot={<>
				<button type="button" class="ui-button" onClick={onClose}>Cancel</button>
				<button type="submit" class="ui-button is-primary" disabled={!!fault}>
					{names.length ? "Move" : "Create"}</button>
			</>}>
			{!!names.length && !!folders.length && (
				<div class="ui-field">
					<label for="folder-choice">Folder</label>
					<select id="folder-choice" class="ui-input" data-autofocus value={chosen ?? "\n"}
						onChange={(event) => setChosen(event.currentTarget.value === "\n" ? null
							: event.currentTarget.value)}>
						{folders.map((folder) => <option key={folder.name}
							value={folder.name}>{folder.name}</option>)}
						<option value={"\n"}>New folder …</option>
					</select>
				</div>
			)}
			{isNew && (
				<div class="ui-field">
					<label for="folder-name">Folder name</label>
					<input id="folder-name" class="ui-input" maxLength={100} value={typed} autocomplete="off"
						{...(names.length && folders.length ? {} : { "data-autofocus": true })}
						aria-invalid={!!typed && !!fault}
						onInput={(event) => setTyped(event.currentTarget.value)} />
					<span class={`ui-hint${typed && fault ? " is-error" : ""}`}>
						{typed && fault ? fault
							: "Folders group profiles in this list; files on disk do not move."}</span>
				</div>
			)}
		</Dialog>
	);
}
