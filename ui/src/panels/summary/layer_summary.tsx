// SPDX-License-Identifier: Apache-2.0
// The cost of each layer: time, FLOPs, instructions. The framework's names are cut after a number
// of parts, because "layers.0/attention" is often the level to compare.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { num, query, text, timeOf } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Button, Choice, Empty, Loaded, Panel } from "../parts/parts.tsx";
import { instructionsOf } from "../hierarchy/tree_data.ts";
import { useLoad } from "../parts/use_load.ts";

const COLUMNS = [
	{ name: "layer", title: "Layer", width: 260 },
	{ name: "busy", title: "Time", unit: "nanoseconds",
		help: "Time in which at least one of its instructions ran; overlaps count once" },
	{ name: "span", title: "Span", unit: "nanoseconds",
		help: "From the start of its first instruction to the end of its last" },
	{ name: "sum", title: "Instruction time", unit: "nanoseconds",
		help: "Sum of its instructions' durations; overlaps count twice" },
	{ name: "flops", title: "FLOPs", unit: "flops", help: "Matrix work, transposes included" },
	{ name: "transpose", title: "Transposes", unit: "fraction",
		help: "Share of the FLOPs that only transpose data" },
	{ name: "count", title: "Instructions" }, { name: "Tensor" }, { name: "Vector" },
	{ name: "Scalar" }, { name: "GpSimd", title: "GpSimd" }, { name: "Sync" },
	{ name: "start", title: "Start", unit: "nanoseconds" },
	{ name: "end", title: "End", unit: "nanoseconds" },
];

export function LayerSummaryPanel({ context }: { context: ProfileContext }) {
	const [parts, setParts] = useState("2");
	const load = useLoad((signal) => query(context, "layers", { depth: parts }, 10_000, signal),
		[context, parts]);
	return (
		<Panel label="Layer summary">
			<Loaded load={load} what="layers">{(rows) => rows.length
				? <DataTable label="Layers" columns={COLUMNS}
					rows={rows.map(({ start_ts, end_ts, ...row }) =>
						[...Object.values(row), timeOf(context, start_ts), timeOf(context, end_ts)])}
					choose={(row) => {
						context.zoomTo(num(row[12]), num(row[13]));
						context.highlight.set(instructionsOf(text(row[0])));
					}}
					bar={<>
						<Choice label="Name depth" value={parts} change={setParts}
							options={["1", "2", "3", "4", "0"].map((value) => ({ value,
								text: value === "0" ? "whole" : value }))} />
						<Button onClick={() => context.highlight.set(null)}>Stop highlighting</Button>
					</>} />
				: <Empty title="No layers known">No instruction belongs to a layer. Compile with XLA debug
					information to see where the time goes, layer by layer.</Empty>}</Loaded>
		</Panel>
	);
}
