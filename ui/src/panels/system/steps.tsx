// SPDX-License-Identifier: Apache-2.0
// The steps of the program: how long each took, what held it up, which stand out; and the gaps
// between executions of each core.

import { useMemo, useState } from "preact/hooks";
import type { Cell } from "../../api/types.ts";
import type { ProfileContext } from "../../contract.ts";
import { formatNs } from "../../format.ts";
import { fetchMany, fetchTable, namedRows, num, timeOf, type Row } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Choice, Empty, Loaded, Panel, Tabs } from "../parts/parts.tsx";
import { Plot } from "../parts/plot.tsx";
import type { TableColumn } from "../parts/table_model.ts";
import { useLoad } from "../parts/use_load.ts";
import {
	GAP_COLUMNS, gapTable, isOneMachine, KIND_COLUMNS, kindTable, markOf, processOf, processTitle,
	STEP_COLUMNS, stepTable,
} from "./steps_model.ts";
import "./steps.css";

const TABS = [{ id: "steps", title: "Steps" }, { id: "processes", title: "By process" },
	{ id: "gaps", title: "Gaps" }] as const;
type Tab = typeof TABS[number]["id"];

export function StepsPanel({ context }: { context: ProfileContext }) {
	const [tab, setTab] = useState<Tab>("steps");
	const [process, setProcess] = useState("");
	const load = useLoad(async (signal) => ({
		steps: namedRows(await fetchMany(context, "Step", {})),
		kinds: namedRows(await fetchTable(context, "StepSummary", {}, signal)),
		gaps: namedRows(await fetchTable(context, "ExecutionGapSummary", {}, signal)),
	}), [context]);
	const kinds = load.state === "ready" ? load.value.kinds : [];
	const processes = [...new Map(kinds.map((row) => [processOf(row), row])).entries()];
	return <Panel label="Steps" bar={<>
		<Tabs label="Steps" value={tab} tabs={[...TABS]} change={setTab} />
		{tab === "steps" && processes.length > 1 && <Choice label="Process" value={process}
			change={setProcess} options={[{ value: "", text: `All ${processes.length}` },
				...processes.map(([key, row]) =>
					({ value: key, text: processTitle(row, isOneMachine(kinds)) }))]} />}</>}>
		<Loaded load={load} what="steps">{(all) => tab === "gaps" ? <Gaps context={context}
			rows={all.gaps} /> : !all.steps.length
			? <Empty title="No steps">The program marked none. Mark them with StepTraceAnnotation, with
				the step() of PyTorch&apos;s profiler, or with nx_profiler_step_begin.</Empty>
			: tab === "steps" ? <Steps context={context} all={all.steps} process={process} />
			: <Kinds context={context} kinds={all.kinds} steps={all.steps} />}</Loaded>
	</Panel>;
}

/** Shows a step on the timeline and its attributes in the details. */
function show(context: ProfileContext, row: Row, index: number): void {
	context.selected.set({ table: "Step", row: String(index) });
	context.zoomTo(timeOf(context, row["start_ts"]), timeOf(context, row["end_ts"]));
}

const marked = (cell: Cell | undefined, column: TableColumn) => column.name !== "mark" ? null
	: cell ? <span class={`st-mark st-${String(cell)}`}>{String(cell)}</span> : <></>;

function Steps({ context, all, process }: { context: ProfileContext; all: Row[];
	process: string }) {
	const time = (row: Row) => timeOf(context, row["start_ts"]);
	const { rows, indices } = useMemo(() => {
		const kept = all.map((_, i) => i).filter((i) => !process || processOf(all[i]!) === process);
		return { rows: kept.map((i) => all[i]!), indices: kept };
	}, [all, process]);
	const plot = useMemo(() => {
		const order = rows.map((_, i) => i).sort((i, j) => time(rows[i]!) - time(rows[j]!));
		const points = (isOutlier: boolean) => order.map((i) =>
			(markOf(rows[i]!) === "outlier") === isOutlier ? num(rows[i]!["duration_ns"]) : null);
		return { order, data: [order.map((i) => time(rows[i]!)), points(false), points(true)],
			series: [{ label: "Duration", colour: "--pn-c1", unit: "nanoseconds",
				kind: "points" as const },
			{ label: "Outlier", colour: "--warning", unit: "nanoseconds", kind: "points" as const }] };
	}, [rows]);
	const choose = (at: number) => show(context, rows[at]!, indices[at]!);
	const cells = useMemo(() => stepTable(rows, time), [rows]);
	return <>
		<div class="pn-plot"><Plot label="Duration of each step over time"
			data={plot.data as [number[], ...(number | null)[][]]} series={plot.series}
			xUnit="nanoseconds" yUnit="nanoseconds" yTitle="Duration" xTitle="Start"
			choose={(at) => plot.order[at] !== undefined && choose(plot.order[at]!)} /></div>
		<DataTable label="Steps" columns={STEP_COLUMNS} rows={cells} render={marked}
			choose={(_, at) => choose(at)} />
	</>;
}

function Kinds({ context, kinds, steps }: { context: ProfileContext; kinds: Row[];
	steps: Row[] }) {
	const latest = Math.max(0, ...kinds.map((row) => num(row["median_late_ns"]) || 0));
	// A choice leads to the slowest step of its line.
	const choose = (at: number) => {
		const kind = kinds[at]!;
		const found = steps.findIndex((row) => processOf(row) === processOf(kind) &&
			row["name"] === kind["name"] && num(row["duration_rank"]) === 1);
		if (found >= 0) show(context, steps[found]!, found);
	};
	return <DataTable label="Steps by process" columns={KIND_COLUMNS} rows={kindTable(kinds)}
		choose={(_, at) => choose(at)}
		render={(cell, column) => column.name === "median_late_ns" && latest > 0 &&
			num(cell) === latest ? <><span class="st-mark st-late">latest</span> {
				formatNs(num(cell))}</> : null} />;
}

const GAP_SERIES = [{ label: "Gap", colour: "--pn-c1", unit: "nanoseconds",
	kind: "points" as const }];

function Gaps({ context, rows }: { context: ProfileContext; rows: Row[] }) {
	const load = useLoad(async (signal) => namedRows(await fetchTable(context, "ExecutionGap",
		{ columns: ["start_ts", "duration_ns"] }, signal)), [context]);
	const data = useMemo((): [number[], number[]] => {
		const gaps = load.state === "ready" ? load.value : [];
		const order = gaps.map((row) => [timeOf(context, row["start_ts"]), num(row["duration_ns"])])
			.sort((a, b) => a[0]! - b[0]!);
		return [order.map((one) => one[0]!), order.map((one) => one[1]!)];
	}, [load]);
	if (!rows.length)
		return <Empty title="No gaps">No core ran more than once in this profile.</Empty>;
	return <>
		<div class="pn-plot"><Plot label="Gaps between executions over time" data={data}
			series={GAP_SERIES} xUnit="nanoseconds" yUnit="nanoseconds" yTitle="Gap" xTitle="Start"
			choose={(at) => data[0][at] !== undefined &&
				context.zoomTo(data[0][at]!, data[0][at]! + data[1][at]!)} /></div>
		<DataTable label="Gaps between executions" columns={GAP_COLUMNS} rows={gapTable(rows)}
			render={marked} />
	</>;
}
