// SPDX-License-Identifier: Apache-2.0
// What each layer costs: time, arithmetic, instructions. Layers are told apart by the framework's
// names, cut after a number of parts, since "layers.0/attention" is often what one wants to
// compare.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { ask, num, sum, text, timeOf } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Button, Choice, Empty, Loaded, Panel } from "../parts/parts.tsx";
import { instructionsOf } from "../hierarchy/tree_data.ts";
import { useLoad } from "../parts/use_load.ts";

export function layerSql(parts: number): string {
	const name = parts ? `array_to_string(list_slice(string_split(layer, '/'), 1, ${parts}), '/')`
		: "layer";
	return `SELECT ${name} AS name, min(start_ts) AS a, max(end_ts) AS b, sum(duration_ns) AS t,
		count(*) AS n, sum(raw_flops) AS f, sum(flops_transpose) AS ft,
		sum(evt_wait_time_ns) AS w,
		count(*) FILTER (engine = 'Tensor') AS n1, count(*) FILTER (engine = 'Vector') AS n2,
		count(*) FILTER (engine = 'Scalar') AS n3, count(*) FILTER (engine = 'GpSimd') AS n4,
		count(*) FILTER (engine = 'Sync') AS n5
		FROM Instruction WHERE layer IS NOT NULL AND layer != '' GROUP BY 1 ORDER BY 2`;
}

const COLUMNS = [
	{ name: "layer", title: "Layer", width: 260 },
	{ name: "span", title: "Time", unit: "nanoseconds", help: "From first start to last end" },
	{ name: "sum", title: "Instruction time", unit: "nanoseconds",
		help: "Durations of its instructions added up" },
	{ name: "flops", title: "FLOPs", unit: "flops", help: "Matrix work, transposes included" },
	{ name: "transpose", title: "Transposes", unit: "fraction",
		help: "Part of the FLOPs that only transposes" },
	{ name: "count", title: "Instructions" }, { name: "Tensor" }, { name: "Vector" },
	{ name: "Scalar" },
	{ name: "GpSimd", title: "GpSimd" }, { name: "Sync" },
	{ name: "start", title: "Start", unit: "nanoseconds" }, { name: "end", title: "End",
		unit: "nanoseconds" },
];

export function LayerSummaryPanel({ context }: { context: ProfileContext }) {
	const [parts, setParts] = useState("2");
	const load = useLoad((signal) => ask(context, ["Instruction"], layerSql(Number(parts)), 10_000,
		signal),
		[context, parts]);
	return (
		<Panel label="Layer summary">
			<Loaded load={load} what="layers">{(rows) => rows.length
				? <DataTable label="Layers" columns={COLUMNS}
					rows={rows.map((row) => {
						const from = timeOf(context, row["a"]);
						const to = timeOf(context, row["b"]);
						const flops = sum(row["f"]);
						return [row["name"] ?? null, to - from, num(row["t"]), flops || null,
							flops ? sum(row["ft"]) / flops : null, num(row["n"]), num(row["n1"]), num(row["n2"]),
							num(row["n3"]), num(row["n4"]), num(row["n5"]), from, to];
					})}
					choose={(row) => {
						context.zoomTo(num(row[11]), num(row[12]));
						context.highlight.set(instructionsOf(text(row[0])));
					}}
					bar={<>
						<Choice label="Depth of names" value={parts} change={setParts}
							options={["1", "2", "3", "4", "0"].map((value) => ({ value,
								text: value === "0" ? "whole" : value }))} />
						<Button onClick={() => context.highlight.set(null)}>Stop highlighting</Button>
					</>} />
				: <Empty title="No layers known">No instruction carries a layer's name. Compile with XLA debug
					information to see where the time goes, layer by layer.</Empty>}</Loaded>
		</Panel>
	);
}
