// SPDX-License-Identifier: Apache-2.0
// Cards about data movement: DMA, collectives, tensor transfers.

import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import type { ProfileContext } from "../../contract.ts";
import { formatFraction, formatInteger } from "../../format.ts";
import { collectivePlot } from "../../panels/device/collective_plot.ts";
import { fetchTable, namedRows, num, rowCount, text, timeOf,
	type Row } from "../../panels/parts/data.ts";
import { Choice, Loaded } from "../../panels/parts/parts.tsx";
import { Plot, type PlotSeries } from "../../panels/parts/plot.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { Card } from "./card.tsx";
import { Bars } from "./charts.tsx";
import { useQuery } from "./compute_cards.tsx";
import { InDoubt } from "./quality.tsx";
import { rangeOf, type Region } from "./region.ts";
import { dmaBars, dmaKind, scaleOf } from "./summary_model.ts";

interface Props {
	context: ProfileContext;
	region: Region;
}

export function DmaCard(props: Props) {
	const [by, setBy] = useState("queue");
	const [split, setSplit] = useState("kind");
	const load = useQuery(props, "dma_utilisation", { by, split });
	return <Card title="DMA utilisation" mark={<InDoubt context={props.context} topic="dma" />}
		help={"Solid: data rate of the DMA engines, as a share of their peak. Striped: " +
			"additional time they were busy, with small or slow packets."}
		bar={<>
			<Choice label="By" value={by} change={setBy} options={[{ value: "queue", text: "queue" },
				{ value: "engine", text: "DMA engine" }, { value: "core", text: "core" }]} />
			<Choice label="Split by" value={split} change={setSplit} options={[
				{ value: "kind", text: "kind of data" },
				{ value: "source", text: "source of descriptors" }]} />
		</>}>
		<Loaded load={load} what="DMA packets">{(rows) => {
			if (!rows.length)
				return <p class="sm-none">No DMA packets were recorded in this time range.</p>;
			const bars = dmaBars(rows);
			const most = scaleOf(bars);
			return <div class="sm-tall"><Bars label="DMA utilisation" bars={bars} most={most} />
				<p class="sm-scale">The bars end at {formatFraction(most)} of the peak.</p></div>;
		}}</Loaded>
	</Card>;
}

/** The rows of a table that start in the region. */
function useRows({ context, region }: Props, table: string, columns: string[], order: string,
	where: string[], limit: number) {
	return useLoad(async (signal) => {
		const { from, to } = rangeOf(context, region);
		return namedRows(await fetchTable(context, table, { columns, order, limit,
			where: [...where, ...(from && to ? [`start_ts>=${from}`, `start_ts<${to}`] : [])] }, signal));
	}, [context, region.id, region.fromNs, region.toNs]);
}

export function CollectivesCard(props: Props) {
	const load = useRows(props, "CcOp", ["operation", "start_ts", "duration_ns", "input_size"],
		"start_ts", [], 10_000);
	const { context } = props;
	if (!rowCount(context, "CcOp")) return null;
	return <Card title="Duration of collectives"><Loaded
		load={load} what="collectives">{(rows) => rows.length
		? <CollectivePlot context={context} rows={rows} />
		: <p class="sm-none">No collectives started in this time range.</p>}</Loaded></Card>;
}

function CollectivePlot({ context, rows }: { context: ProfileContext; rows: Row[] }) {
	const plot = useMemo(() => collectivePlot(rows, (row) => timeOf(context, row["start_ts"])),
		[rows]);
	return <div class="sm-plot"><Plot label="Duration of collectives over time"
		data={plot.data} series={plot.series}
		xUnit="nanoseconds" yUnit="nanoseconds" xTitle="Start" yTitle="Duration" /></div>;
}

const MOST_POINTS = 5000;

export function TensorDmaCard(props: Props) {
	const load = useRows(props, "DmaPacketAggregated", ["transfer_bytes", "throughput", "queue_type"],
		"-transfer_bytes", ["transfer_bytes>0", "throughput>0"], MOST_POINTS);
	if (!rowCount(props.context, "DmaPacketAggregated")) return null;
	return <Card title="Throughput of tensor transfers"
		help="Each point is a transfer. Small transfers are slow and appear at the lower left.">
		<Loaded load={load} what="transfers">{(rows) => rows.length ? <Scatter rows={rows} />
			: <p class="sm-none">No transfers started in this time range.</p>}</Loaded>
	</Card>;
}

function Scatter({ rows }: { rows: Row[] }) {
	const { data, series } = useMemo(() => {
		const sorted = [...rows].sort((a, b) => num(a["transfer_bytes"]) - num(b["transfer_bytes"]));
		const kinds = new Map(sorted.map((row) => {
			const kind = dmaKind(text(row["queue_type"]));
			return [kind.label, kind];
		}));
		return {
			data: [sorted.map((row) => num(row["transfer_bytes"])), ...[...kinds.keys()].map((label) =>
				sorted.map((row) => dmaKind(text(row["queue_type"])).label === label
					? num(row["throughput"]) : null))] as uPlot.AlignedData,
			series: [...kinds.values()].map((kind): PlotSeries => ({ ...kind, unit: "bytes_per_second",
				kind: "points" })),
		};
	}, [rows]);
	return <>
		<div class="sm-plot"><Plot label="Throughput by transfer size"
			data={data} series={series} xUnit="bytes"
			yUnit="bytes_per_second" xTitle="Size" yTitle="Throughput" xLog yLog /></div>
		{rows.length >= MOST_POINTS ? <p class="sm-none">The {formatInteger(MOST_POINTS)} largest are
			drawn.</p> : null}
	</>;
}
