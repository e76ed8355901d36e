// SPDX-License-Identifier: Apache-2.0
// Collective operations and their durations.

import { useMemo } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { collectivePlot } from "./collective_plot.ts";
import { fetchTable, namedRows, timeOf, type Row } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { Plot } from "../parts/plot.tsx";
import { useLoad } from "../parts/use_load.ts";

const COLUMNS = [
	{ name: "operation", title: "Operation", width: 130 }, { name: "algorithm", title: "Algorithm" },
	{ name: "start", title: "Start", unit: "nanoseconds" },
	{ name: "duration_ns", title: "Duration", unit: "nanoseconds" },
	{ name: "input_size", title: "Input", unit: "bytes" }, { name: "output_size", title: "Output",
		unit: "bytes" },
	{ name: "algorithm_bandwidth", title: "Algorithm rate", unit: "bytes_per_second" },
	{ name: "bus_bandwidth", title: "Bus rate", unit: "bytes_per_second" },
	{ name: "cc_trigger_start_delay", title: "Start delay", unit: "nanoseconds",
		help: "How long the request waited before the collective started" },
	{ name: "dtype", title: "Type" }, { name: "num_elements", title: "Elements" },
	{ name: "trigger_engine", title: "Triggered by" }, { name: "stream_id", title: "Stream",
		unit: "id" },
	{ name: "replica_group", title: "Replica group" },
];

export function CollectivesPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => namedRows(await fetchTable(context, "CcOp", {}, signal)),
		[context]);
	return <Panel label="Collectives"><Loaded load={load} what="collectives">{(rows) => rows.length
		? <Body context={context} rows={rows} />
		: <Empty title="No collectives">
			No operation across several cores was recorded.</Empty>}</Loaded></Panel>;
}

function Body({ context, rows }: { context: ProfileContext; rows: Row[] }) {
	const time = (row: Row) => timeOf(context, row["start_ts"]);
	const plot = useMemo(() => collectivePlot(rows, time), [rows]);
	const reveal = (i: number) => context.reveal({ table: "CcOp", row: String(i) });
	return <>
		<div class="pn-plot"><Plot label="Duration of each collective over time" data={plot.data}
			series={plot.series} xUnit="nanoseconds" yUnit="nanoseconds" yTitle="Duration" xTitle="Start"
			choose={(index) => plot.order[index] !== undefined && reveal(plot.order[index]!)} /></div>
		<DataTable label="Collectives" columns={COLUMNS} choose={(_, i) => reveal(i)}
			rows={rows.map((row) => COLUMNS.map((column) =>
				column.name === "start" ? time(row) : row[column.name] ?? null))} />
	</>;
}
