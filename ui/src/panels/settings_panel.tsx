// SPDX-License-Identifier: Apache-2.0
// What the timeline shows, and how. All of it is part of the page's address.

import type { ColourBy, ProfileContext, Settings } from "../contract.ts";
import { formatInteger } from "../format.ts";
import { useStore } from "../store.ts";
import { Button, Choice, Panel, Toggle } from "./parts.tsx";
import "./settings_panel.css";

const COLOURS: { value: ColourBy; text: string }[] = [
	{ value: "name", text: "Name" }, { value: "engine", text: "Engine" }, { value: "layer",
		text: "Layer" },
	{ value: "operator", text: "Operator" }, { value: "track", text: "Track" }];
const GROUPINGS = [
	{ value: "default", text: "As recorded" }, { value: "cpu_device", text: "Host and device" },
	{ value: "core", text: "Core" }, { value: "thread", text: "Thread" }, { value: "process",
		text: "Process" },
	{ value: "instance", text: "Machine" }];

export function SettingsPanel({ context }: { context: ProfileContext }) {
	const settings = useStore(context.settings);
	const change = (part: Partial<Settings>) => context.settings.update((now) => ({ ...now, ...part }));
	const isSystem = context.details.kind === "system";
	return (
		<Panel label="Settings">
			<div class="pn-scroll st">
				<section>
					<h3>Timeline</h3>
					<Choice label="Colour by" value={settings.colourBy} options={COLOURS}
						change={(colourBy) => change({ colourBy })} />
					{isSystem ? <Choice label="Group rows by" value={settings.grouping} options={GROUPINGS}
						change={(grouping) => change({ grouping })} />
						: <Choice label="Rows" value={settings.rows} change={(rows) => change({ rows })}
							options={[{ value: "minimal", text: "The most telling ones" }, { value: "full",
								text: "All" }]} />}
					<Toggle label="Show bands of warnings" on={settings.showBands}
						change={(showBands) => change({ showBands })} />
					<Toggle label="Show dependencies of the selected event" on={settings.showDependencies}
						change={(showDependencies) => change({ showDependencies })} />
				</section>
				<section>
					<h3>Rows</h3>
					<Reset what="pinned" list={settings.pinned} reset={() => change({ pinned: [] })} />
					<Reset what="hidden" list={settings.hidden} reset={() => change({ hidden: [] })} />
					<Reset what="collapsed" list={settings.collapsed} reset={() => change({ collapsed: [] })} />
					<Reset what="moved" list={settings.order} reset={() => change({ order: [] })} />
				</section>
				<p class="pn-dim">Settings are kept in the page's address: a link shows the same to others.</p>
			</div>
		</Panel>
	);
}

function Reset(props: { what: string; list: string[]; reset: () => void }) {
	const words: Record<string, string> = {
		pinned: "Unpin all", hidden: "Show all", collapsed: "Expand all", moved: "Put back" };
	return (
		<div class="st-line">
			<span>{formatInteger(props.list.length)} {props.what}</span>
			<Button disabled={!props.list.length} onClick={props.reset}>{words[props.what]}</Button>
		</div>
	);
}
