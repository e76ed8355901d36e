// SPDX-License-Identifier: Apache-2.0
// The list of folders.

import { Icon } from "../../shell/icons.tsx";
import { pluralText } from "../../shell/words.ts";
import type { Folder } from "./list.ts";

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
