// SPDX-License-Identifier: Apache-2.0
// Memory usage. Device profiles: the state buffer over time, what each tensor holds of each memory
// over time and at the peak (if the profile was made with the memory tracker), and device memory by
// use. System
// profiles: device memory, host memory and CPU load over time.

import { useMemo, useState } from "preact/hooks";
import type { Cell } from "../../api/types.ts";
import type { ProfileContext } from "../../contract.ts";
import { formatBytes, formatByUnit, titleOf } from "../../format.ts";
import { fetchTable, namedRows, num, query, text, timeOf, type Row } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Choice, Empty, Loaded, Panel, Tabs } from "../parts/parts.tsx";
import { SbufMap } from "./sbuf_map.tsx";
import { Plot, type PlotSeries } from "../parts/plot.tsx";
import { SystemCurve } from "../system/system_curves.tsx";
import { ALL_TENSORS, memoryCurves, placeOf, placesOf, type MemoryPlace } from "./memory_curves.ts";
import "./memory_usage.css";
import { useLoad } from "../parts/use_load.ts";

type Tab = "sbuf" | "tensors" | "device" | "hbm" | "host" | "cpu";

const DEVICE: { id: Tab; title: string }[] = [
	{ id: "sbuf", title: "State buffer" }, { id: "tensors", title: "By tensor" },
	{ id: "device", title: "Device memory" }];
const SYSTEM: { id: Tab; title: string }[] = [
	{ id: "hbm", title: "Device memory" }, { id: "host", title: "Host memory" },
	{ id: "cpu", title: "Processors" }];

export function MemoryUsagePanel({ context }: { context: ProfileContext }) {
	const tabs = context.details.kind === "system" ? SYSTEM : DEVICE;
	const [tab, setTab] = useState<Tab>(tabs[0]!.id);
	return (
		<Panel label="Memory usage" bar={
			<Tabs label="Memories" value={tab} tabs={tabs} change={setTab} />}>
			{tab === "sbuf" ? <SbufMap context={context} />
				: tab === "tensors" ? <MemoryHolders context={context} />
				: tab === "device" ? <DeviceMemory context={context} />
					: tab === "hbm" ? <>
						<div class="pn-plot"><SystemCurve context={context} kind="hbm" /></div>
						<HbmPurposes context={context} />
					</> : <SystemCurve context={context} kind={tab} />}
		</Panel>
	);
}

/** Device memory by use: at the end of the recording, and the maximum. */
function HbmPurposes({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => {
		const { rows } = await context.api.query("hbm_purposes", {}, 1000, signal);
		return rows.map(([purpose, ...rest]) => [titleOf(text(purpose)), ...rest]);
	}, [context]);
	return <Loaded load={load} what="purposes">{(rows) => <DataTable label="Device memory by use"
		order={{ column: 4, down: true }} rows={rows} columns={[{ name: "purpose", title: "Used for",
			width: 220 },
			{ name: "device", title: "Device", unit: "id" }, { name: "hbm", title: "HBM", unit: "id" },
			{ name: "last", title: "At the end", unit: "bytes" }, { name: "most", title: "At most",
				unit: "bytes" },
			{ name: "machine", title: "Machine" }]} empty="No allocations were recorded." />}</Loaded>;
}

/** What fills each memory over time and when it is fullest: rows of the memory tracker. */
function MemoryHolders({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) =>
		(await context.api.query("memory_holders", {}, 10000, signal)).rows, [context]);
	const [chosen, setChosen] = useState("");
	return <Loaded load={load} what="memory by tensor">{(rows) => {
		const places = placesOf(rows);
		const place = places.find(({ id }) => id === chosen) ?? places[0];
		if (!place) return <Empty title="Not tracked">
			Run view with --enable-memory-tracker to see which tensors fill the memories.
		</Empty>;
		return <>
			<div class="mu-bar">
				<Choice label="Memory" value={place.id} change={setChosen}
					options={places.map(({ id, title }) => ({ value: id, text: title }))} />
				<span class="pn-dim">{place.memory === "sbuf" || place.memory === "psum"
					? "Bytes of one partition. " : ""}Peak {formatBytes(place.peak)} at{" "}
					{formatByUnit(place.peakNs, "nanoseconds")}</span>
			</div>
			<div class="pn-plot"><MemoryCurves context={context} place={place} /></div>
			<HolderTable rows={rows.filter((row) => placeOf(row) === place.id)} />
		</>;
	}}</Loaded>;
}

/** The largest tensors of a memory over time, and all together. */
function MemoryCurves({ context, place }: { context: ProfileContext; place: MemoryPlace }) {
	const load = useLoad((signal) => query(context, "memory_curves",
		{ memory: place.memory, core: place.core }, 100_000, signal), [context, place.id]);
	return <Loaded load={load} what="the curves">{(rows) =>
		<MemoryPlot key={place.id} context={context} rows={rows} title={place.title} />}</Loaded>;
}

function MemoryPlot({ context, rows, title }: { context: ProfileContext; rows: Row[];
	title: string }) {
	const { data, series } = useMemo(() => {
		const { names, data } = memoryCurves(rows, (row) => timeOf(context, row["timestamp"]));
		return { data, series: names.map((name, i): PlotSeries => ({ label: name, unit: "bytes",
			colour: `--pn-c${(i % 8) + 1}`, kind: "step", fill: name === ALL_TENSORS })) };
	}, [rows]);
	return <Plot label={`${title} by tensor over time`} data={data} series={series}
		xUnit="nanoseconds" yUnit="bytes" xTitle="Time" />;
}

function HolderTable({ rows }: { rows: Cell[][] }) {
	return <DataTable label="Memory by tensor" order={{ column: 4, down: true }} rows={rows}
			columns={[{ name: "memory", title: "Memory" }, { name: "core", title: "Core", unit: "id" },
				{ name: "tensor", title: "Tensor", width: 260 }, { name: "kind", title: "Kind" },
				{ name: "at_peak", title: "At the peak", unit: "bytes" },
				{ name: "most", title: "At most", unit: "bytes" },
				{ name: "peak", title: "Peak of the memory", unit: "bytes" },
				{ name: "peak_ts", title: "When", unit: "nanoseconds" }]} />;
}

function DeviceMemory({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => namedRows(
		await fetchTable(context, "HbmUsageSummaryByType", {}, signal)), [context]);
	return <Loaded load={load} what="device memory">{(rows) => {
		if (!rows.length) return <Empty title="Not recorded">
			The capture does not include device memory usage.</Empty>;
		const totals = rows.filter((row) => text(row["usage_type"]) === "Total");
		const totalOf = (core: string) => num(totals.find((row) => text(row["neuroncore_idx"])
			=== core)?.["usage_bytes"]);
		return <DataTable label="Device memory at the start of the capture"
			order={{ column: 2, down: true }}
			columns={[{ name: "type", title: "Used for", width: 240 }, { name: "core", title: "Core",
				unit: "id" }, { name: "bytes", title: "Bytes", unit: "bytes" },
				{ name: "share", title: "Share of core total", unit: "fraction" }]}
			rows={rows.filter((row) => text(row["usage_type"]) !== "Total")
				.map((row) => [row["usage_type"] ?? null,
				row["neuroncore_idx"] ?? null, num(row["usage_bytes"]),
				num(row["usage_bytes"]) / totalOf(text(row["neuroncore_idx"]))])}
			bar={<span class="pn-dim">{totals.map((row) =>
				`Core ${text(row["neuroncore_idx"])}: ${formatBytes(num(row["usage_bytes"]))}`).join(" · ")}
					</span>} />;
	}}</Loaded>;
}
