// SPDX-License-Identifier: Apache-2.0
// The list of markers and regions: their names, differences, sets, and the metrics between them.

import { useState } from "preact/hooks";
import type { Marker, ProfileContext } from "../../contract.ts";
import { formatNs } from "../../format.ts";
import { useStore } from "../../store.ts";
import {
	baseOf, COLOURS, decompose, inUnit, makeMarker, makeRegion, parseTime, regionsOf, sorted,
		type TimeUnit,
} from "./annotations_model.ts";
import { AnnotationSets } from "./annotation_sets.tsx";
import { Button, Choice, Empty, Panel, Toggle } from "../parts/parts.tsx";
import { PartSummary } from "../summary/selection_summary.tsx";
import "./annotations.css";

const UNITS = (["ns", "µs", "ms", "s"] as const).map((value) => ({ value, text: value }));

export function AnnotationsPanel({ context }: { context: ProfileContext }) {
	const markers = useStore(context.markers);
	const [unit, setUnit] = useState<TimeUnit>("µs");
	const { snap } = useStore(context.settings);
	const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
	const [open, setOpen] = useState<string | null>(null);
	const list = sorted(markers);
	const chosen = list.filter((one) => ticked.has(one.id));
	const change = (id: string, part: Partial<Marker>) =>
		context.markers.update((now) => now.map((one) => one.id === id ? { ...one, ...part } : one));
	const remove = (ids: ReadonlySet<string>) => {
		context.markers.update((now) => now.filter((one) => !ids.has(one.id)));
		setTicked(new Set());
	};
	const addMarker = () => {
		const view = context.view.get();
		context.markers.update((now) => [...now,
			makeMarker(now, Math.round((view.fromNs + view.toNs) / 2))]);
	};
	const addRegion = () => {
		const [first, second] = chosen;
		const box = context.box.get();
		const view = context.view.get();
		const [from, to] = chosen.length === 2 && first && second ? [first.timeNs, second.timeNs]
			: box ? [box.fromNs, box.toNs] : [view.fromNs, view.toNs];
		context.markers.update((now) => [...now, ...makeRegion(now, Math.round(from), Math.round(to))]);
	};
	const regions = regionsOf(markers);
	const tickedRegion = regions.find((region) => ticked.has(region.from.id) ||
		ticked.has(region.to.id));
	const shown = open ? list.find((one) => one.id === open) : undefined;
	const base = shown ? baseOf(markers, shown) : null;
	return (
		<Panel label="Annotations" bar={<>
			<Button onClick={addMarker} title="At the centre of the visible range">
				Add marker</Button>
			<Button onClick={addRegion}
				title="Between two selected markers, or else the box, or else the visible time range">
				Add region</Button>
			<Button disabled={!tickedRegion} onClick={() => tickedRegion &&
				context.markers.update((now) => decompose(now, tickedRegion))}>Split region</Button>
			<Button disabled={chosen.length !== 2} onClick={() => {
				const [a, b] = chosen;
				if (a && b) context.zoomTo(a.timeNs, b.timeNs);
			}}>Zoom to two</Button>
			<Button disabled={!chosen.length} onClick={() => remove(ticked)}>Delete selected</Button>
			<Button disabled={!list.length} onClick={() =>
				context.markers.update((now) =>
					now.map((one) => ({ ...one, diffTo: null })))}>Reset differences</Button>
			<Button disabled={!list.length} onClick={() => context.markers.set([])}>Clear all</Button>
			<Toggle label="Snap to events" on={snap}
				change={(on) => context.settings.update((now) => ({ ...now, snap: on }))}
				title="A marker that you set or drag moves to the nearest start or end of an event" />
			<Choice label="Unit" value={unit} options={UNITS} change={setUnit} />
		</>}>
			<div class="pn-bar"><AnnotationSets context={context} /></div>
			{list.length === 0 ? <Empty title="No markers yet">
				Right-click in the timeline, or choose “Add marker”, to bookmark a time and measure from it.
			</Empty> : <div class="an-scroll"><table class="an">
				<thead><tr><th aria-label="Tick" /><th>Name</th><th>Time ({unit})</th><th>Colour</th>
					<th>Difference to</th><th>Difference ({unit})</th><th aria-label="Actions" /></tr></thead>
				<tbody>{list.map((one) => <MarkerRow
					key={one.id} context={context} one={one} list={list} unit={unit}
					isTicked={ticked.has(one.id)} isOpen={open === one.id} change={(part) => change(one.id,
						part)}
					move={(timeNs) => change(one.id, { timeNs })}
					toggleOpen={() => setOpen(open === one.id ? null : one.id)}
					tick={() => {
						const next = new Set(ticked);
						if (!next.delete(one.id)) next.add(one.id);
						setTicked(next);
					}} remove={() => remove(new Set([one.id]))} />)}</tbody>
			</table></div>}
			{shown && base ? <div class="an-part"><PartSummary context={context}
				title={`${base.name} to ${shown.name}`}
				part={{ fromNs: Math.min(base.timeNs, shown.timeNs), toNs: Math.max(base.timeNs,
					shown.timeNs), tracks: null }} /></div> : null}
		</Panel>
	);
}

function MarkerRow(props: { context: ProfileContext; one: Marker; list: Marker[]; unit: TimeUnit;
	isTicked: boolean; isOpen: boolean; change: (part: Partial<Marker>) => void;
	move: (timeNs: number) => void; tick: () => void; toggleOpen: () => void; remove: () => void }) {
	const { context, one, list, unit } = props;
	const base = baseOf(list, one);
	return (
		<tr class={props.isOpen ? "an-open" : ""}>
			<td><input type="checkbox" checked={props.isTicked} onChange={props.tick}
				aria-label={`Tick ${one.name}`} /></td>
			<td><input class="an-edit" value={one.name} aria-label="Name"
				onChange={(event) => props.change({ name: event.currentTarget.value || one.name })} /></td>
			<td><input class="an-edit an-number"
				value={inUnit(one.timeNs, unit)} aria-label={`Time of ${one.name}`}
				onChange={(event) => {
					const time = parseTime(event.currentTarget.value, unit);
					if (time === null) event.currentTarget.value = inUnit(one.timeNs, unit);
					else props.move(time);
				}} /></td>
			<td><input type="color" class="an-colour" value={one.colour} list="an-colours"
				aria-label={`Colour of ${one.name}`}
				onChange={(event) => props.change({ colour: event.currentTarget.value })} />
				<datalist id="an-colours">{COLOURS.map((colour) => <option
					key={colour} value={colour} />)}</datalist></td>
			<td><select class="pn-input" value={one.diffTo ?? ""} aria-label={`Measure ${one.name} from`}
				onChange={(event) => props.change({ diffTo: event.currentTarget.value || null })}>
				<option value="">the one before</option>
				{list.filter((other) => other.id !== one.id).map((other) =>
					<option key={other.id} value={other.id}>{other.name}</option>)}
			</select></td>
			<td class="an-number" title={base ? formatNs(one.timeNs - base.timeNs) : ""}>
				{base ? inUnit(one.timeNs - base.timeNs, unit) : "–"}</td>
			<td class="an-actions">
				<Button kind="quiet" disabled={!base} aria-expanded={props.isOpen}
					onClick={props.toggleOpen}>Metrics</Button>
				<Button kind="quiet" onClick={() => {
					const half = Math.max(500, (context.view.get().toNs - context.view.get().fromNs) / 20);
					context.zoomTo(one.timeNs - half, one.timeNs + half);
				}}>Show</Button>
				<Button kind="quiet" aria-label={`Delete ${one.name}`} onClick={props.remove}>✕</Button>
			</td>
		</tr>
	);
}
