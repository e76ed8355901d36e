// SPDX-License-Identifier: Apache-2.0
// The Profile Manager without a table: the list of folders, or what to do if there are no profiles.

import { tunnelCommand } from "../../server.ts";
import { Command } from "../../shell/command.tsx";
import type { Tab, Folder } from "./list.ts";
import { Icon } from "../../shell/icons.tsx";
import { notify } from "../../shell/toasts.tsx";
import { pluralText } from "../../shell/words.ts";
import { openSample } from "../../upload/sample.ts";

export function NoProfiles({ onUpload }: { onUpload: () => void }) {
	return (
		<div class="ui-empty">
			<h1>No profiles yet</h1>
			<p>Upload a capture, drop its files anywhere on this page, or use the command line on the
				machine that runs the server:</p>
			<Command text="neuron-explorer view -n model.neff -s profile.ntff" />
			<p class="ui-dim">
				processes the trace of one model and opens it here. To trace a whole run including
				the host, start the model like this:</p>
			<Command text={"NEURON_RT_INSPECT_ENABLE=1 " +
					"NEURON_RT_INSPECT_OUTPUT_DIR=output python train.py"} />
			<p class="ui-dim">Then process the folder it wrote:</p>
			<Command text="neuron-explorer view -d output" />
			<p><button type="button" class="ui-button is-primary" onClick={onUpload}>Upload
				profile</button>{" "}
				<button type="button" class="ui-button" onClick={() => void openSample().catch(
					(failure: Error) => notify(failure.message, "error"))}>Open a sample</button></p>
			<p class="ui-dim">The sample is an attention kernel that ran on the simulator.</p>
		</div>
	);
}

const NOTHING: Record<Tab, string> = {
	all: "No profiles match.",
	favourites: "No favourites yet. Click the star next to a profile to add it.",
	folders: "No folders yet. Create one, or move profiles to a new folder with Actions.",
	viewed: "No profiles opened yet. Profiles you open are listed here, most recent first.",
};

export function NothingListed({ tab, text, onClear }: { tab: Tab; text: string; onClear: () =>
	void }) {
	return (
		<div class="ui-empty">
			<p class="ui-dim">{text ? `No profiles match “${text}”.` : NOTHING[tab]}</p>
			{text && <p><button type="button" class="ui-button" onClick={onClear}>Clear the
				filter</button></p>}
		</div>
	);
}

export function NoServer({ sentence, onRetry }: { sentence: string; onRetry: () => void }) {
	return (
		<div class="ui-empty" role="alert">
			<h1>Cannot list the profiles</h1>
			<p>{sentence}</p>
			<p class="ui-dim">If the server runs on another machine, forward its port and try
				again:</p>
			<Command text={tunnelCommand()} />
			<p><button type="button" class="ui-button" onClick={onRetry}>Try again</button></p>
		</div>
	);
}

export function FolderList({ folders, onOpen, onForget }:
	{ folders: Folder[]; onOpen: (name: string) => void; onForget: (folder: Folder) => void }) {
	return (
		<ul class="pm-folders">
			{folders.map((folder) => (
				<li key={folder.name}>
					<button type="button" class="pm-folder-open"
						onClick={() => onOpen(folder.name)}>
						<Icon name="folder" />
						<span class="pm-folder-name">{folder.name}</span>
						<span class="ui-dim">{pluralText(folder.count, "profile")}</span>
					</button>
					<button type="button" class="ui-icon-button is-small" onClick={() => onForget(folder)}
						aria-label={`Remove the folder ${folder.name}; its profiles stay`}
						title="Remove the folder; its profiles stay"><Icon name="trash"
							size={12} /></button>
				</li>
			))}
		</ul>
	);
}
