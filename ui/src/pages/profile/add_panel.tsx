// SPDX-License-Identifier: Apache-2.0
// The dialog that opens a panel.

import { useState } from "preact/hooks";
import type { PanelKind } from "../../contract.ts";
import * as model from "../../dock/model.ts";
import { Dialog } from "../../shell/dialog.tsx";
import { Icon } from "../../shell/icons.tsx";
import type { Store } from "../../store.ts";
import "./add_panel.css";

export function AddPanel({ store, kinds, onClose }:
	{ store: Store<model.Dock>; kinds: PanelKind[]; onClose: () => void }) {
	const [filter, setFilter] = useState("");
	const open = new Set(model.panelsOf(store.get().root));
	const shown = kinds.filter((kind) =>
		kind.title.toLowerCase().includes(filter.trim().toLowerCase()));
	const choose = (kind: PanelKind | undefined) => {
		if (!kind) return;
		store.update((dock) => model.add(dock, kind.id));
		onClose();
	};
	return (
		<Dialog title="Add panel" isWide onClose={onClose} onSubmit={() => choose(shown[0])}>
			<div class="ui-search">
				<Icon name="search" size={14} />
				<input class="ui-input" data-autofocus placeholder="Find a panel" aria-label="Find a panel"
					value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
			</div>
			<div class="add-tiles">
				{shown.map((kind) => (
					<button type="button" key={kind.id} class="add-tile"
						onClick={() => choose(kind)}>
						<span>{kind.title}</span>
						{open.has(kind.id) && <span class="ui-dim">open</span>}
					</button>
				))}
			</div>
			{!shown.length && <p class="ui-dim">No matching panel.</p>}
		</Dialog>
	);
}
