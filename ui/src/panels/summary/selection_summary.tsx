// SPDX-License-Identifier: Apache-2.0
// Statistics of the visible time range or of the selected box: how much of it each track covers
// and with what, grouped by core.

import { useState } from "preact/hooks";
import type { CounterStatistics, Track, TrackStatistics } from "../../api/types.ts";
import type { Box, ProfileContext } from "../../contract.ts";
import { formatByUnit, formatFraction, formatInteger, formatNs } from "../../format.ts";
import { useStore } from "../../store.ts";
import { byCore } from "./by_core.ts";
import { absolute } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Button, Empty, Loaded, MiniBar, Panel, Tabs } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";
import "./selection_summary.css";

export function CurrentSelectionPanel({ context }: { context: ProfileContext }) {
	const view = useStore(context.view);
	return (
		<Panel label="Current selection summary">
			<PartSummary context={context} title="In view"
				part={{ fromNs: view.fromNs, toNs: view.toNs, tracks: null }} />
		</Panel>
	);
}

export function BoxSelectionPanel({ context }: { context: ProfileContext }) {
	const box = useStore(context.box);
	return (
		<Panel label="Box selection summary">
			{box ? <PartSummary context={context} title="Box" part={box}
				actions={<>
					<Button onClick={() => context.zoomTo(box.fromNs, box.toNs)}>Zoom to it</Button>
					<Button onClick={() => context.box.set(null)}>Clear box</Button>
				</>} />
				: <Empty title="No box selection">
					Press B in the timeline and drag a box to see what happened inside it; Esc clears it.
				</Empty>}
		</Panel>
	);
}

export function PartSummary(props: { context: ProfileContext; part: Box; title: string;
	actions?: preact.ComponentChildren }) {
	const { context, part } = props;
	const [tab, setTab] = useState<"tracks" | "names" | "counters">("tracks");
	const load = useLoad((signal) => context.api.statistics(absolute(context, part.fromNs),
		absolute(context, part.toNs), part.tracks, signal),
	[context, part.fromNs, part.toNs, part.tracks?.join() ?? ""], 200);
	return (
		<>
			<div class="pn-bar">
				<Tabs label="Grouping" value={tab} change={setTab}
					tabs={[{ id: "tracks", title: "By track" }, { id: "names", title: "By name" },
						{ id: "counters", title: "Counters" }]} />
				<span class="pn-dim">{props.title}: {formatNs(part.toNs - part.fromNs)}, {" "}
					{formatNs(part.fromNs, 6)} to {formatNs(part.toNs, 6)}</span>
				<span class="pn-spring" />
				{props.actions}
			</div>
			<Loaded load={load} what="statistics">{(answer) => {
				if (tab === "counters") return <CounterTable context={context}
					counters={answer.tracks.filter((one) => "mean" in one)} />;
				const busy = answer.tracks.filter((one) => "names" in one)
					.filter((one) => Number(one.count) > 0);
				if (!busy.length) return <Empty title="No events">
					There are no events in this time range.</Empty>;
				return tab === "names" ? <NameTable context={context} tracks={busy} />
					: <TrackList context={context} tracks={busy} />;
			}}</Loaded>
		</>
	);
}

// An engine's active time leaves waits out, so it is less.
const COVERED = "Time in which the track shows an event, waits included; overlaps count once. " +
	"Active time of engines, without waits, is in the panel Overall summary.";

function TrackList({ context, tracks }: { context: ProfileContext; tracks: TrackStatistics[] }) {
	const nameOf = (id: number) => context.tracks.find((track) => track.id === id)?.name
		?? `Track ${id}`;
	return (
		<div class="pn-scroll ss-list">
			{byCore(context.tracks, tracks).map(([core, list]) => (
				<section key={core}>
					<h3 class="ss-core">{core}</h3>
					{list.map((one) => (
						<details key={one.track} class="ss-track">
							<summary>
								<span class="ss-name">{nameOf(one.track)}</span>
								<MiniBar fraction={one.busy_fraction} />
								<span class="ss-number">{formatFraction(one.busy_fraction)}</span>
								<span class="ss-number" title={COVERED}>{formatNs(Number(one.busy_ns))}{" "}
						covered</span>
								<span class="ss-number">{formatInteger(one.count)} {one.count === "1" ? "event"
									: "events"}</span>
								<span class="ss-number">{formatNs(Number(one.sum_ns) / Number(one.count))}{" "}
						average</span>
							</summary>
							<table class="ss-names">
								<tbody>{one.names.slice(0, 20).map((name) => (
									<tr key={name.name}>
										<td>{name.name || "(no name)"}</td>
										<td>{formatInteger(name.count)}</td>
										<td>{formatNs(Number(name.busy_ns))}</td>
										<td>{formatFraction(Number(name.busy_ns) / Math.max(1,
											Number(one.busy_ns)))}</td>
									</tr>
								))}</tbody>
							</table>
						</details>
					))}
				</section>
			))}
		</div>
	);
}

function NameTable({ context, tracks }: { context: ProfileContext; tracks: TrackStatistics[] }) {
	const nameOf = (id: number) => context.tracks.find((track) => track.id === id)?.name
		?? `Track ${id}`;
	const coreOf = (id: number) =>
		context.tracks.find((track) => track.id === id)?.attributes["pcore_idx"] ?? null;
	return <DataTable label="Names" order={{ column: 4, down: true }}
		columns={[{ name: "name", title: "Name", width: 260 }, { name: "track", title: "Track" },
			{ name: "core", title: "Core" }, { name: "count", title: "Count" },
			{ name: "busy", title: "Time inside", unit: "nanoseconds" },
			{ name: "average", title: "Average duration", unit: "nanoseconds" }]}
		rows={tracks.flatMap((one) =>
			one.names.map((name) => [name.name, nameOf(one.track), coreOf(one.track),
			Number(name.count), Number(name.busy_ns), Number(name.sum_ns) / Number(name.count)]))} />;
}

/** Formats a value by the unit of its track; usages range from 0 to 1 and have no unit. */
function valueOf(track: Track | undefined, value: number | null): string {
	if (value === null || !track) return "–";
	switch (track.unit) {
		case "bytes": return formatByUnit(value, "bytes");
		case "bytes/s": return formatByUnit(value, "bytes_per_second");
		case "FLOP/s": return `${formatByUnit(value, "flops")}/s`;
		case "percent": return formatFraction(value / 100);
		default: return /usage/i.test(track.name) ? formatFraction(value) : formatByUnit(value, "");
	}
}

function CounterTable({ context, counters }: { context: ProfileContext;
	counters: CounterStatistics[] }) {
	const byId = new Map(context.tracks.map((track) => [track.id, track]));
	const known = counters.filter((one) => one.mean !== null);
	const rows = known.map((one) => {
		const track = byId.get(one.track);
		return [track?.name ?? "", track?.attributes["pcore_idx"] ?? null,
			one.mean, one.lowest, one.highest, one.last];
	});
	const trackOf = new Map<unknown, Track | undefined>(
		rows.map((row, i) => [row, byId.get(known[i]!.track)]));
	const value = (name: string, title: string) => ({ name, title, unit: "number", width: 120 });
	return <DataTable label="Counters"
		columns={[{ name: "name", title: "Name", width: 240 }, { name: "core", title: "Core" },
			value("mean", "Mean"), value("lowest", "Lowest"), value("highest", "Highest"),
			value("last", "Last")]}
		rows={rows}
		render={(cell, column, row) => typeof cell === "number" && column.unit === "number"
			? valueOf(trackOf.get(row), cell) : null}
		empty="No counter has a value in this time range." />;
}
