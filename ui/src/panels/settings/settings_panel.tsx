// SPDX-License-Identifier: Apache-2.0
// Settings of the timeline, which are part of the page's URL.

import type { ProfileContext, Settings } from "../../contract.ts";
import { formatInteger } from "../../format.ts";
import { coloursFor, GROUPINGS } from "../../state/choices.ts";
import { useStore } from "../../store.ts";
import { Button, Choice, Panel, Toggle } from "../parts/parts.tsx";
import { parseRanges, rangesText } from "./ranges.ts";
import "./settings_panel.css";

const optionsOf = <T extends string>(choices: { id: T; label: string }[]) =>
	choices.map(({ id, label }) => ({ value: id, text: label }));

export function SettingsPanel({ context }: { context: ProfileContext }) {
	const settings = useStore(context.settings);
	const change = (part: Partial<Settings>) =>
		context.settings.update((now) => ({ ...now, ...part }));
	const isSystem = context.details.kind === "system";
	return (
		<Panel label="Settings">
			<div class="pn-scroll st">
				<section>
					<h3>Timeline</h3>
					<Choice label="Colour by" value={settings.colourBy}
						options={optionsOf(coloursFor(context.details.kind))}
						change={(colourBy) => change({ colourBy })} />
					{settings.colourBy === "layer" ? <NumberChoice label="Layer depth"
						value={settings.layerDepth} hint="parts of the name; 0 for all" most={20}
						change={(layerDepth) => change({ layerDepth })} /> : null}
					{isSystem ? <Choice label="Group by" value={settings.grouping}
						options={optionsOf(GROUPINGS)}
						change={(grouping) => change({ grouping })} />
						: <Choice label="Rows" value={settings.rows} change={(rows) => change({ rows })}
							options={[{ value: "minimal", text: "Minimal" }, { value: "full",
								text: "Full" }]} />}
					{isSystem ? null : <>
						<Choice label="DMA packets by" value={settings.dmaBy} change={(dmaBy) =>
							change({ dmaBy })}
							options={[{ value: "queue", text: "Queue" }, { value: "engine", text: "Engine" }]} />
						<Choice label="Core at the top" value={settings.coreOrder}
							change={(coreOrder) => change({ coreOrder })}
							options={[{ value: "last", text: "Last" }, { value: "first",
								text: "First" }]} />
						<Semaphores ids={settings.semaphores}
							change={(semaphores) => change({ semaphores })} />
						<Toggle label="Show cumulative rows next to rates" on={settings.showCumulative}
							change={(showCumulative) => change({ showCumulative })} />
					</>}
					<Toggle label="Show names inside bars" on={settings.showText}
						change={(showText) => change({ showText })} />
					<Toggle label="Snap markers to event edges" on={settings.snap}
						change={(snap) => change({ snap })} />
					<Toggle label="Show warning bands" on={settings.showBands}
						change={(showBands) => change({ showBands })} />
					<Toggle label="Show dependencies of the selected event" on={settings.showDependencies}
						change={(showDependencies) => change({ showDependencies })} />
				</section>
				<section>
					<h3>Rows</h3>
					<Reset what="pinned" list={settings.pinned} reset={() => change({ pinned: [] })} />
					<Reset what="hidden" list={settings.hidden} reset={() => change({ hidden: [] })} />
					<Reset what="collapsed" list={settings.collapsed} reset={() =>
						change({ collapsed: [] })} />
					<Reset what="moved" list={settings.order} reset={() => change({ order: [] })} />
				</section>
				<p class="pn-dim">Settings are part of the page's URL, so a link includes them.</p>
			</div>
		</Panel>
	);
}

function NumberChoice(props: { label: string; value: number; most: number; hint: string;
	change: (value: number) => void }) {
	return (
		<label class="pn-choice">
			<span>{props.label}</span>
			<input class="pn-input st-number" type="number" min={0} max={props.most} value={props.value}
				onChange={(event) => props.change(Math.min(Math.max(
					Math.round(event.currentTarget.valueAsNumber) || 0, 0), props.most))} />
			<span class="pn-dim">{props.hint}</span>
		</label>
	);
}

function Semaphores(props: { ids: number[]; change: (ids: number[]) => void }) {
	return (
		<label class="pn-choice">
			<span>Semaphores</span>
			<input class="pn-input" type="text" placeholder="All; or 1, 4, 24-30"
				value={rangesText(props.ids)}
				onChange={(event) => {
					const ids = parseRanges(event.currentTarget.value);
					props.change(ids);
					event.currentTarget.value = rangesText(ids);
				}} />
		</label>
	);
}

function Reset(props: { what: string; list: string[]; reset: () => void }) {
	const words: Record<string, string> = {
		pinned: "Unpin all", hidden: "Show all", collapsed: "Expand all", moved: "Reset" };
	return (
		<div class="st-line">
			<span>{formatInteger(props.list.length)} {props.what}</span>
			<Button disabled={!props.list.length} onClick={props.reset}>{words[props.what]}</Button>
		</div>
	);
}
