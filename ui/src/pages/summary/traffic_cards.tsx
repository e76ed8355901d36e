// SPDX-License-Identifier: Apache-2.0
// Cards about moving data: DMA engines and queues, collectives, transfers of tensors.

import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { ProfileContext } from "../../contract.ts";
import { formatFraction, formatInteger } from "../../format.ts";
import { collectivePlot } from "../../panels/device/collective_plot.ts";
import { ask, firstRow, num, rowCount, sum, text, timeOf, type Row } from "../../panels/parts/data.ts";
import { Choice, Loaded } from "../../panels/parts/parts.tsx";
import { Plot, type PlotSeries } from "../../panels/parts/plot.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { Card } from "./card.tsx";
import { Bars } from "./charts.tsx";
import { clipped, coveredSql, within, type Region } from "./region.ts";
import { dmaBar, dmaKind, machineOf, scaleOf, type DmaSplit,
	type DmaUse } from "./summary_model.ts";

interface Props {
	context: ProfileContext;
	region: Region;
}

const COLOURS = new Map([
	["Instructions", "--pn-c7"], ["Inputs and outputs", "--pn-c3"], ["Weights and data", "--pn-c6"],
	["Dynamic", "--pn-c1"], ["Unknown", "--pn-c8"], ["Static", "--pn-c6"],
		["Software dynamic", "--pn-c2"],
	["Hardware dynamic", "--pn-c1"],
]);

type Outer = "engine" | "queue" | "core";
const KEYS: Record<Outer, string> = {
	engine: "'E' || coalesce(CAST(engine_idx AS VARCHAR), '?')",
	queue: "coalesce(queue_name, '(not declared)')",
		core: "'Core ' || coalesce(CAST(pcore_idx AS VARCHAR), '?')",
};

async function loadDma({ context, region }: Props, outer: Outer, signal: AbortSignal) {
	const machine = machineOf((await firstRow(context, "Metadata", signal))?.row ?? {});
	const part = clipped(context, region);
	const bytes = await ask(context, ["DmaPacket"],
		`SELECT ${KEYS[outer]} AS k, CAST(queue_type AS VARCHAR) AS c, ` +
		`sum(transfer_bytes) AS b, count(DISTINCT engine_idx) AS e FROM DmaPacket ` +
		`WHERE ${within(context, region)} ` +
		"GROUP BY ALL", 10_000, signal);
	// of queues and cores the time is added over their engines, as their peak is
	const inner = `${KEYS[outer]} || '/' || coalesce(CAST(engine_idx AS VARCHAR), '')`;
	const busy = await ask(context, ["DmaPacket"], coveredSql("DmaPacket", inner, part), 10_000,
		signal);
	return { machine, bytes, busy };
}

export function DmaCard(props: Props) {
	const { context, region } = props;
	const [outer, setOuter] = useState<Outer>("queue");
	const [split, setSplit] = useState<DmaSplit>("kind");
	const load = useLoad((signal) => loadDma(props, outer, signal),
		[context, region.id, region.fromNs, region.toNs, outer]);
	return <Card title="DMA utilisation"
		help={"Solid: the share of their peak rate at which the DMA engines moved data. Striped: time " +
			"they were busy beyond that, with small or slow packets."}
		bar={<>
			<Choice label="By" value={outer} change={setOuter} options={[{ value: "queue", text: "queue" },
				{ value: "engine", text: "DMA engine" }, { value: "core", text: "core" }]} />
			<Choice label="Split by" value={split} change={setSplit} options={[{ value: "kind",
				text: "what is moved" },
				{ value: "source", text: "who made descriptors" }]} />
		</>}>
		<Loaded load={load} what="DMA packets">{({ machine, bytes, busy }) => {
			if (!bytes.length) return <p class="sm-none">No DMA packet was recorded in this part.</p>;
			const uses = dmaUses(bytes, busy, split);
			const bars = uses.map((use) => dmaBar(use, region.toNs - region.fromNs, machine, COLOURS));
			const most = scaleOf(bars);
			return <div class="sm-tall"><Bars label="DMA utilisation" bars={bars} most={most} />
				<p class="sm-scale">The bars end at {formatFraction(most)} of the peak.</p></div>;
		}}</Loaded>
	</Card>;
}

export function dmaUses(bytes: Row[], busy: Row[], split: DmaSplit): DmaUse[] {
	const uses = new Map<string, DmaUse>();
	for (const row of bytes) {
		const label = text(row["k"]);
		const use = uses.get(label) ?? { label, bytes: new Map<string, number>(), activeNs: 0,
			engines: 1 };
		uses.set(label, use);
		const kind = dmaKind(text(row["c"]), split);
		use.bytes.set(kind, (use.bytes.get(kind) ?? 0) + sum(row["b"]));
		use.engines = Math.max(use.engines, sum(row["e"]));
	}
	for (const row of busy) {
		const use = uses.get(text(row["k"]).replace(/\/[^/]*$/, ""));
		if (use) use.activeNs += sum(row["t"]);
	}
	const order = new Intl.Collator("en", { numeric: true });
	return [...uses.values()].sort((a, b) => order.compare(a.label, b.label));
}

export function CollectivesCard({ context, region }: Props) {
	const load = useLoad((signal) => ask(context, ["CcOp"],
		"SELECT operation, start_ts, duration_ns, input_size FROM CcOp " +
		`WHERE ${within(context, region)} ORDER BY start_ts`, 10_000, signal),
	[context, region.id, region.fromNs, region.toNs]);
	if (!rowCount(context, "CcOp")) return null;
	return <Card title="Duration of collectives"><Loaded
		load={load} what="collectives">{(rows) => rows.length
		? <CollectivePlot context={context} rows={rows} />
		: <p class="sm-none">No collective began in this part.</p>}</Loaded></Card>;
}

function CollectivePlot({ context, rows }: { context: ProfileContext; rows: Row[] }) {
	const plot = useMemo(() => collectivePlot(rows, (row) => timeOf(context, row["start_ts"])),
		[rows]);
	return <div class="sm-plot"><Plot label="Duration of collectives over time"
		data={plot.data} series={plot.series}
		xUnit="nanoseconds" yUnit="nanoseconds" xTitle="Start" yTitle="Duration" /></div>;
}

const MOST_POINTS = 5000;

export function TensorDmaCard({ context, region }: Props) {
	const load = useLoad((signal) => ask(context, ["DmaPacketAggregated"],
		"SELECT transfer_bytes AS b, throughput AS r, " +
		`CAST(queue_type AS VARCHAR) AS c FROM DmaPacketAggregated WHERE ${within(context, region)} ` +
		`AND transfer_bytes > 0 ` +
		"AND throughput > 0 ORDER BY transfer_bytes DESC", MOST_POINTS, signal),
	[context, region.id, region.fromNs, region.toNs]);
	if (!rowCount(context, "DmaPacketAggregated")) return null;
	return <Card title="Throughput of tensor transfers"
		help="Each point is a transfer. Small transfers are slow: they lie at the lower left.">
		<Loaded load={load} what="transfers">{(rows) => rows.length ? <Scatter rows={rows} />
			: <p class="sm-none">No transfer began in this part.</p>}</Loaded>
	</Card>;
}

function Scatter({ rows }: { rows: Row[] }) {
	const { data, series } = useMemo(() => {
		const sorted = [...rows].sort((a, b) => num(a["b"]) - num(b["b"]));
		const kinds = [...new Set(sorted.map((row) => dmaKind(text(row["c"]), "kind")))];
		return {
			data: [sorted.map((row) => num(row["b"])), ...kinds.map((kind) => sorted.map((row) =>
				dmaKind(text(row["c"]), "kind") === kind ? num(row["r"]) : null))] as uPlot.AlignedData,
			series: kinds.map((kind): PlotSeries => ({ label: kind, unit: "bytes_per_second", kind: "points",
				colour: COLOURS.get(kind) ?? "--pn-c7" })),
		};
	}, [rows]);
	return <>
		<div class="sm-plot"><Plot label="Throughput against size of transfers"
			data={data} series={series} xUnit="bytes"
			yUnit="bytes_per_second" xTitle="Size" yTitle="Throughput" xLog yLog /></div>
		{rows.length >= MOST_POINTS ? <p class="sm-none">The {formatInteger(MOST_POINTS)} largest are
			drawn.</p> : null}
	</>;
}
