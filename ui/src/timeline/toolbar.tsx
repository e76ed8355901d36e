// SPDX-License-Identifier: Apache-2.0
// The bar above a timeline.

import { useEffect, useState } from "preact/hooks";
import type { ColourBy, ProfileContext, View } from "../contract.ts";
import { formatNs } from "../format.ts";
import { useStore } from "../store.ts";
import type { Actions } from "./actions.ts";
import { COLOUR_CHOICES } from "./colours.ts";
import { ExportDialog } from "./export_dialog.tsx";
import { Icon } from "./icons.tsx";
import { showAllRows } from "./rows.ts";
import { GROUPINGS } from "./system_rows.ts";
import { timeText } from "./ticks.ts";

interface ToolProps {
	icon: Parameters<typeof Icon>[0]["name"];
	title: string;
	onClick: () => void;
	isOn?: boolean;
}

function Tool({ icon, title, onClick, isOn }: ToolProps) {
	return (
		<button type="button" class="tl-tool" title={title} aria-label={title} onClick={onClick}
			aria-pressed={isOn}>
			<Icon name={icon} />
		</button>
	);
}

function Choice({ label, value, options, onChange }: {
	label: string;
	value: string;
	options: { id: string; label: string }[];
	onChange: (id: string) => void;
}) {
	return (
		<label class="tl-choice">
			<span>{label}</span>
			<select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
				{options.map(({ id, label: text }) => <option key={id} value={id}>{text}</option>)}
			</select>
		</label>
	);
}

const LAYER_DEPTHS = [
	{ id: "0", label: "Whole name" }, { id: "1", label: "First part" },
	...[2, 3, 4, 5, 6].map((depth) => ({ id: String(depth), label: `First ${depth} parts` })),
];

/** Nobody can read text that changes faster. */
const WORDS_MS = 120;

/** The view, updated only a few times a second. */
function useCalmView(context: ProfileContext): View {
	const [view, setView] = useState(context.view.get());
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const stop = context.view.watch(() => {
			timer ??= setTimeout(() => {
				timer = undefined;
				setView(context.view.get());
			}, WORDS_MS);
		});
		return () => {
			stop();
			clearTimeout(timer);
		};
	}, [context]);
	return view;
}

/** The visible time range as text. */
function Extent({ context }: { context: ProfileContext }) {
	const view = useCalmView(context);
	const from = Math.round(view.fromNs);
	return (
		<span class="tl-extent">
			<b>{formatNs(view.toNs - view.fromNs)}</b>
			{from > 0 ? ` from ${timeText(from)}` : " from the beginning"}
		</span>
	);
}

export function Toolbar({ context, actions }: { context: ProfileContext; actions: Actions }) {
	const settings = useStore(context.settings);
	const mode = useStore(actions.mode);
	const [isExporting, setExporting] = useState(false);
	const isDevice = context.details.kind === "device";
	const change = (part: Partial<typeof settings>) =>
		context.settings.update((now) => ({ ...now, ...part }));
	return (
		<div class="tl-toolbar" role="toolbar" aria-label="Timeline">
			<Extent context={context} />
			{settings.hidden.length > 0 && (
				<button type="button" class="tl-text-tool" onClick={() =>
					context.settings.update(showAllRows)}>
					Show {settings.hidden.length} hidden
				</button>
			)}
			{context.details.devices.length > 0 && (
				<button type="button" class="tl-text-tool" onClick={() =>
					context.openPanel("device-profiles")}
					title="Device profiles captured with this run">
					{context.details.devices.length} device {context.details.devices.length === 1
						? "profile" : "profiles"}
				</button>
			)}
			<span class="tl-gap" />
			{isDevice && (
				<span class="tl-segments" role="group" aria-label="Rows">
					{(["minimal", "full"] as const).map((rows) => (
						<button type="button" key={rows} aria-pressed={settings.rows === rows}
							title={rows === "minimal" ? "Instructions and utilisation only" : "All rows"}
							onClick={() => change({ rows })}>
							{rows === "minimal" ? "Minimal" : "Full"}
						</button>
					))}
				</span>
			)}
			{!isDevice && (
				<Choice label="Group by" value={settings.grouping} options={GROUPINGS}
					onChange={(grouping) => change({ grouping })} />
			)}
			<Choice label="Colour by" value={settings.colourBy}
				options={COLOUR_CHOICES.filter(({ id }) => isDevice || id === "name" || id === "track")}
				onChange={(id) => change({ colourBy: id as ColourBy })} />
			{settings.colourBy === "layer" && (
				<Choice label="by" value={String(settings.layerDepth)} options={LAYER_DEPTHS}
					onChange={(id) => change({ layerDepth: Number(id) })} />
			)}
			<span class="tl-tools">
				<Tool icon="bands" title="Highlight throttling, small transfers, reloads and collectives"
					isOn={settings.showBands} onClick={() => change({ showBands: !settings.showBands })} />
				<Tool icon="links" title="Show dependencies of the selected event"
					isOn={settings.showDependencies}
					onClick={() => change({ showDependencies: !settings.showDependencies })} />
				<Tool icon="box" title="Select a box (B)" isOn={mode === "box"}
					onClick={() => actions.run("box")} />
				<Tool icon="download" title="Export the visible data as CSV"
					onClick={() => setExporting(true)} />
			</span>
			<span class="tl-tools">
				<Tool icon="plus" title="Zoom in (W)" onClick={() => actions.run("in")} />
				<Tool icon="minus" title="Zoom out (S)" onClick={() => actions.run("out")} />
				<Tool icon="fit" onClick={() => actions.run("fit")}
					title={isDevice ? "Show the whole profile (F)"
						: "Show all events; again for the whole profile (F)"} />
				<Tool icon="settings" title="More timeline settings"
					onClick={() => context.openPanel("settings")} />
				<Tool icon="help" title="Keys and colours (?)" onClick={() => actions.run("help")} />
			</span>
			{isExporting && <ExportDialog context={context} onClose={() => setExporting(false)} />}
		</div>
	);
}
