// SPDX-License-Identifier: Apache-2.0
// The dialog that starts an upload.

import { useMemo, useState } from "preact/hooks";
import { nameFault, NAME_MOST, type Folder } from "../pages/manager/list.ts";
import { profileWatch } from "../server.ts";
import { Dialog } from "../shell/dialog.tsx";
import { bytesText } from "../shell/words.ts";
import { useStore } from "../store.ts";
import { DropZone } from "./drop_zone.tsx";
import { planFault, plannedFiles, sizeOf, suggestedName, type Mode, type Plan } from "./plan.ts";
import { beginUpload } from "./uploads.ts";
import "./upload.css";

const MODES: { mode: Mode; title: string; hint: string }[] = [
	{ mode: "files", title: "Files", hint: "One model's run: its NEFF and NTFF" },
	{ mode: "directory", title: "Folder", hint: "The output of a capture: system and device traces" },
];

function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
	return (
		<div class="up-modes" role="radiogroup" aria-label="What to upload">
			{MODES.map((one) => (
				<label key={one.mode} class={`up-mode${one.mode === mode ? " is-on" : ""}`}>
					<input type="radio" name="mode" class="ui-check" checked={one.mode === mode}
						onChange={() => onChange(one.mode)} />
					<span><span class="ui-label">{one.title}</span><br /><span
						class="ui-hint">{one.hint}</span></span>
				</label>
			))}
		</div>
	);
}

export function UploadDialog({ plan, setPlan, folders, onClose }:
	{ plan: Plan; setPlan: (plan: Plan) => void; folders: Folder[]; onClose: () => void }) {
	const { profiles } = useStore(profileWatch.list);
	const [typedName, setName] = useState<string | null>(null);
	const [folder, setFolder] = useState("");
	const [isForce, setForce] = useState(false);
	const name = typedName ?? suggestedName(plan);
	const isTaken = profiles.some((profile) => profile.name === name);
	const fault = nameFault(name, profiles, isForce);
	const missing = planFault(plan);
	const bytes = useMemo(() => sizeOf(plannedFiles(plan)), [plan]);
	const isNameShownWrong = fault !== null && (name !== "" || typedName !== null);
	const begin = () => {
		if (fault || missing) return;
		beginUpload(name, folder, isForce, plan);
		onClose();
	};
	return (
		<Dialog title="Upload profile" isWide onClose={onClose} onSubmit={begin} foot={<>
			<span class="up-total ui-dim">{missing ?? `${bytesText(bytes)} will be sent`}</span>
			<button type="button" class="ui-button" onClick={onClose}>Cancel</button>
			<button type="submit" class="ui-button is-primary" disabled={!!fault ||
				!!missing}>Upload</button>
		</>}>
			<ModeChoice mode={plan.mode} onChange={(mode) => setPlan({ ...plan, mode })} />
			{plan.mode === "files" ? <>
				<DropZone title="NEFF" hint="The compiled model, file.neff" accept=".neff"
					chosen={plan.neff}
					onChange={(neff) => setPlan({ ...plan, neff })} />
				<DropZone title="NTFF" hint="The trace of its run, profile.ntff; one for each core"
					accept=".ntff"
					isMultiple chosen={plan.ntff} onChange={(ntff) => setPlan({ ...plan, ntff })} />
			</> : (
				<DropZone title="Capture folder"
					hint="Contains ntrace.pb and trace_info.pb, or NEFF and NTFF files" isFolder
					chosen={plan.directory} onChange={(directory) =>
						setPlan({ ...plan, directory })} />
			)}
			<DropZone title="Source code (optional)"
				hint="A folder, files or a .tar.gz, to show hot lines" isMultiple
				canBeFolder chosen={plan.source} onChange={(source) =>
					setPlan({ ...plan, source })} />
			<div class="up-row">
				<div class="ui-field up-grow">
					<label for="upload-name">Name</label>
					<input id="upload-name" class="ui-input" required maxLength={NAME_MOST}
						value={name} data-autofocus
						autocomplete="off" aria-invalid={isNameShownWrong} aria-describedby="upload-name-hint"
						onInput={(event) => setName(event.currentTarget.value)} />
					<span id="upload-name-hint"
						class={`ui-hint${isNameShownWrong ? " is-error" : ""}`}>
						{isNameShownWrong ? fault : isTaken ?
							"The existing profile with this name will be replaced."
							: "The profile's name in lists and links."}</span>
				</div>
				<div class="ui-field">
					<label for="upload-folder">Folder</label>
					<select id="upload-folder" class="ui-input" value={folder}
						onChange={(event) => setFolder(event.currentTarget.value)}>
						<option value="">None</option>
						{folders.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
					</select>
				</div>
			</div>
			<label class="up-check">
				<input type="checkbox" class="ui-check" checked={isForce}
					onChange={(event) => setForce(event.currentTarget.checked)} />
				Replace an existing profile with the same name
			</label>
		</Dialog>
	);
}
