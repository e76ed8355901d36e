// SPDX-License-Identifier: Apache-2.0
// Memory usage and CPU load over time.

import { useMemo } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { shortened } from "../../timeline/rows.ts";
import { query, text, timeOf, type Row } from "../parts/data.ts";
import { curvesOf } from "../parts/curves.ts";
import { Empty, Loaded } from "../parts/parts.tsx";
import { Plot, type PlotSeries } from "../parts/plot.tsx";
import { useLoad } from "../parts/use_load.ts";

type CurveKind = "hbm" | "host" | "cpu";

interface Curve {
	query: string;
	unit: string;
	empty: string;
}

const CURVES: Record<CurveKind, Curve> = {
	hbm: { query: "hbm_usage", unit: "bytes", empty: "No device memory allocations were recorded." },
	host: { query: "host_memory", unit: "bytes", empty: "Host memory was not sampled." },
	cpu: { query: "cpu_load", unit: "hundredths", empty: "Processor load was not sampled." },
};

/** Adds the machine to the names of series if there are several machines. */
function withMachines(rows: Row[]): Row[] {
	const first = rows[0]?.["instance_id"];
	if (rows.every((row) => row["instance_id"] === first)) return rows;
	return rows.map((row) => ({ ...row,
		series: `${text(row["series"])} on ${shortened(text(row["instance_id"]))}` }));
}

/** instance "": all machines. */
export function SystemCurve({ context, kind, instance = "" }: { context: ProfileContext;
	kind: CurveKind; instance?: string }) {
	const curve = CURVES[kind];
	const load = useLoad(async (signal) => withMachines(await query(context, curve.query,
		{ instance: instance || undefined }, 100_000, signal)),
	[context, kind, instance]);
	return <Loaded load={load} what="the curve">{(rows) => rows.length
		? <Curves context={context} rows={rows} unit={curve.unit} kind={kind} />
		: <Empty title="Not recorded">{curve.empty}</Empty>}</Loaded>;
}

function Curves({ context, rows, unit, kind }: { context: ProfileContext; rows: Row[]; unit: string;
	kind: string }) {
	const { data, series } = useMemo(() => {
		const curves = curvesOf(rows, (row) => timeOf(context, row["timestamp"]));
		return { data: curves.data,
			series: curves.names.map((name, i): PlotSeries => ({ label: name, unit,
			colour: `--pn-c${(i % 8) + 1}`, kind: "step", fill: curves.names.length === 1 })) };
	}, [rows, unit]);
	return <Plot key={kind} label="Usage over time" data={data} series={series} xUnit="nanoseconds"
		yUnit={unit} xTitle="Time" />;
}
