// SPDX-License-Identifier: Apache-2.0
// Named layouts, which the server stores for all profiles.

import { useState } from "preact/hooks";
import type { PanelKind } from "../../contract.ts";
import * as model from "../../dock/model.ts";
import { dockOfSaved, savedLayout, usualDock } from "../../dock/saved.ts";
import { server } from "../../server.ts";
import { Dialog } from "../../shell/dialog.tsx";
import { Icon } from "../../shell/icons.tsx";
import { MenuButton, type MenuEntry } from "../../shell/menu.tsx";
import { notify } from "../../shell/toasts.tsx";
import type { Store } from "../../store.ts";

function fail(failure: unknown): void {
	notify((failure as Error).message, "error");
}

function SaveDialog({ dock, names, onClose }:
	{ dock: model.Dock; names: string[]; onClose: (name?: string) => void }) {
	const [name, setName] = useState("");
	const wanted = name.trim();
	const save = async () => {
		if (!wanted) return;
		try {
			await server.saveLayout(wanted, savedLayout(dock));
			notify(`Layout saved as ${wanted}.`);
			onClose(wanted);
		} catch (failure) {
			fail(failure);
		}
	};
	return (
		<Dialog title="Save layout" onClose={() => onClose()} onSubmit={() => void save()} foot={<>
			<button type="button" class="ui-button" onClick={() => onClose()}>Cancel</button>
			<button type="submit" class="ui-button is-primary" disabled={!wanted}>Save</button>
		</>}>
			<div class="ui-field">
				<label for="layout-name">Name</label>
				<input id="layout-name" class="ui-input" data-autofocus maxLength={100} value={name}
					onInput={(event) => setName(event.currentTarget.value)} />
				<span class="ui-hint">{names.includes(wanted) ?
					"A layout with this name exists and will be replaced."
					: "The open panels with their position and size, usable with every profile."}</span>
			</div>
		</Dialog>
	);
}

export function LayoutMenu({ store, kinds }: { store: Store<model.Dock>; kinds: PanelKind[] }) {
	const [names, setNames] = useState<string[]>([]);
	const [isSaving, setSaving] = useState(false);
	const refresh = () => void server.layouts().then(({ layouts }) => setNames(layouts), fail);
	const load = async (name: string) => {
		try {
			const dock = dockOfSaved(await server.layout<unknown>(name));
			if (!dock) throw new Error(`Layout ${name} was saved by another version and cannot be used.`);
			store.set(model.keepKnown(dock, (panel) => kinds.some((kind) => kind.id === panel)));
		} catch (failure) {
			fail(failure);
		}
	};
	const remove = (name: string) => void server.deleteLayout(name).then(() => {
		setNames((now) => now.filter((other) => other !== name));
		notify(`Layout ${name} deleted.`);
	}, fail);
	const entries = (): MenuEntry[] => [
		{ title: "Save layout…", icon: "add", run: () => setSaving(true) },
		{ title: "Reset to default", icon: "refresh", run: () =>
			store.set(usualDock(kinds, innerWidth, innerHeight)) },
		...(names.length ? ["line", { heading: "Load" }] as MenuEntry[] : []),
		...names.map((name): MenuEntry => ({ title: name, icon: "layout", run: () => void load(name)
			})),
		...(names.length ? ["line", { heading: "Delete" }] as MenuEntry[] : []),
		...names.map((name): MenuEntry =>
			({ title: name, icon: "trash", isDanger: true, run: () => remove(name) })),
	];
	return (
		<>
			<MenuButton label="Layout" isRight entries={entries} onOpen={refresh}>
				<Icon name="layout" size={14} /> Layout <Icon name="down" size={12} />
			</MenuButton>
			{isSaving && <SaveDialog dock={store.get()} names={names} onClose={(name) => {
				setSaving(false);
				if (name) setNames((now) => [...new Set([...now, name])].sort());
			}} />}
		</>
	);
}
