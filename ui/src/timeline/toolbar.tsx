// SPDX-License-Identifier: Apache-2.0
// The bar above a timeline.

import { useEffect, useState } from "preact/hooks";
import type { ColourBy, ProfileContext, View } from "../contract.ts";
import { formatNs } from "../format.ts";
import { useStore } from "../store.ts";
import type { Actions } from "./actions.ts";
import { coloursFor, GROUPINGS } from "../state/choices.ts";
import { Icon } from "./icons.tsx";
import { showAllRows } from "./rows.ts";
import { timeText } from "./ticks.ts";
import { Dialog } from "../shell/dialog.tsx";
import { MenuButton, type MenuEntry } from "../shell/menu.tsx";
import { failureText, kindText, lengthText, placeOf } from "../state/sessions.ts";
import { absoluteNs } from "./view.ts";

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

/** Jumps to the sessions of a run. */
function Sessions({ context }: { context: ProfileContext }) {
	const { details: { sessions }, originNs } = context;
	if (sessions.length < 2) return null;
	const entries = (): MenuEntry[] => [...sessions].reverse().map((session) => {
		const place = placeOf(session, originNs);
		return {
			title: session.name, note: [kindText(session), lengthText(session), failureText(session)]
				.filter(Boolean).join(", "),
			isDisabled: !place, run: () => place && context.zoomTo(place.fromNs, place.toNs),
		};
	});
	return (
		<MenuButton label="Sessions of this run" class="tl-text-tool" entries={entries}>
			{sessions.length} sessions</MenuButton>
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
			<Sessions context={context} />
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
				options={coloursFor(context.details.kind)}
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
				<Tool icon="link" title="Copy a link to this view"
					onClick={() => void actions.copyLink()} />
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

function ExportDialog({ context, onClose }:
	{ context: ProfileContext; onClose: () => void }) {
	const tables = tablesOf(context);
	const [chosen, setChosen] = useState<string[]>(tables.slice(0, 1).map((table) => table.name));
	const view = context.view.get();
	const save = () => {
		for (const table of chosen)
			download(context.api.csvUrl(table, absoluteNs(context.originNs, view.fromNs),
				absoluteNs(context.originNs, view.toNs)), `${context.name}-${table}.csv`);
		onClose();
	};
	const toggle = (name: string) => setChosen((now) =>
		(now.includes(name) ? now.filter((one) => one !== name) : [...now, name]));
	return (
		<Dialog title="Export as CSV" onClose={onClose} onSubmit={save} foot={<>
			<button type="button" class="ui-button" onClick={onClose}>Cancel</button>
			<button type="submit" class="ui-button is-primary" disabled={!chosen.length}>
				Export {chosen.length > 1 ? `${chosen.length} tables` : ""}</button>
		</>}>
			<p class="ui-dim">
				All rows of {formatNs(view.toNs - view.fromNs)} from {timeText(Math.round(view.fromNs))},
				one file for each table.</p>
			<div class="tl-checks">
				{tables.map((table) => (
					<label key={table.name}>
						<input type="checkbox" checked={chosen.includes(table.name)}
							onChange={() => toggle(table.name)} />
						<span>{table.name}</span>
						<span class="ui-dim">{table.rows.toLocaleString("en-US")} rows in total</span>
					</label>
				))}
			</div>
		</Dialog>
	);
}

const FIRST = ["Instruction", "SystemProfileEvents"];

/** Tables that have tracks, the most wanted ones first. */
function tablesOf({ tracks, details }: ProfileContext): { name: string; rows: number }[] {
	const names = [...new Set(tracks.flatMap((track) => track.table ?? []))];
	const sorted = [...names.filter((name) => FIRST.includes(name)),
		...names.filter((name) => !FIRST.includes(name))];
	return sorted.map((name) => ({
		name, rows: Number(details.tables.find((table) => table.name === name)?.row_count ?? 0),
	}));
}

function download(url: string, name: string): void {
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
}
