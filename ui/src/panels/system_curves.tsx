// SPDX-License-Identifier: Apache-2.0
// Memory and load of machines over time.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { ProfileContext } from "../contract.ts";
import { ask, num, text, timeOf, type Row } from "./data.ts";
import { Empty, Loaded } from "./parts.tsx";
import { Plot, type PlotSeries } from "./plot.tsx";
import { useLoad } from "./use_load.ts";

export type CurveKind = "hbm" | "host" | "cpu";

const CURVES: Record<CurveKind, { table: string; sql: string; unit: string; empty: string }> = {
	hbm: { table: "SystemProfileHbmUsage", unit: "bytes",
		empty: "No allocation of device memory was recorded.",
		sql: "SELECT timestamp AS t, total_bytes AS v, 'Device ' || device_idx || ', HBM ' || hbm_idx AS s " +
			"FROM SystemProfileHbmUsage ORDER BY timestamp" },
	host: { table: "HostMemUsage", unit: "bytes", empty: "Host memory was not sampled.",
		sql: "SELECT timestamp AS t, used_bytes AS v, instance_id AS s FROM HostMemUsage ORDER BY timestamp" },
	cpu: { table: "CpuUsage", unit: "hundredths", empty: "The processors' load was not sampled.",
		sql: "SELECT timestamp AS t, util_percent AS v, 'Mean of ' || instance_id AS s FROM CpuUsage " +
			"WHERE cpu_id = 'average' ORDER BY timestamp" },
};

/** Series over one common axis of time; a value holds until the next one of its series. */
export function curvesOf(rows: Row[], time: (row: Row) => number): { names: string[];
	data: uPlot.AlignedData } {
	const names = [...new Set(rows.map((row) => text(row["s"])))];
	const moments = [...new Set(rows.map(time))].sort((a, b) => a - b);
	const places = new Map(moments.map((moment, i) => [moment, i]));
	const curves = names.map((name) => {
		const values = new Array<number | null>(moments.length).fill(null);
		for (const row of rows)
			if (text(row["s"]) === name) values[places.get(time(row))!] = num(row["v"]);
		for (let i = 1; i < values.length; i++) values[i] ??= values[i - 1] ?? null;
		return values;
	});
	return { names, data: [moments, ...curves] };
}

export function SystemCurve({ context, kind }: { context: ProfileContext; kind: CurveKind }) {
	const curve = CURVES[kind];
	const load = useLoad((signal) => ask(context, [curve.table], curve.sql, 100_000, signal),
		[context, kind]);
	return <Loaded load={load} what="the curve">{(rows) => rows.length
		? <Curves context={context} rows={rows} unit={curve.unit} kind={kind} />
		: <Empty title="Not recorded">{curve.empty}</Empty>}</Loaded>;
}

function Curves({ context, rows, unit, kind }: { context: ProfileContext; rows: Row[]; unit: string;
	kind: string }) {
	const { data, series } = useMemo(() => {
		const curves = curvesOf(rows, (row) => timeOf(context, row["t"]));
		return { data: curves.data, series: curves.names.map((name, i): PlotSeries => ({ label: name, unit,
			colour: `--pn-c${(i % 8) + 1}`, kind: "step", fill: curves.names.length === 1 })) };
	}, [rows, unit]);
	return <Plot key={kind} label="Usage over time" data={data} series={series} xUnit="nanoseconds"
		yUnit={unit}
		xTitle="Time" />;
}
