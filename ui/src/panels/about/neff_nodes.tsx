// SPDX-License-Identifier: Apache-2.0
// The inputs, outputs and weights that the compiled model declares.

import type { ProfileContext } from "../../contract.ts";
import { formatBytes } from "../../format.ts";
import { fetchTable, sum, tableColumns } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

const COLUMNS = ["variable_name", "type", "format", "shape", "size", "node", "pcore_idx"];

export function NeffNodesPanel({ context }: { context: ProfileContext }) {
	const load = useLoad((signal) => fetchTable(context, "TensorInfo", { columns: COLUMNS }, signal),
		[context]);
	return <Panel label="NEFF nodes"><Loaded load={load} what="tensors">{(page) => page.rows.length
		? <DataTable label="NEFF tensors" columns={tableColumns(page.columns)} rows={page.rows}
			total={Number(page.total)}
			bar={<span class="pn-dim">{["IN", "OUT", "WEIGHT"].map((type) =>
				`${type} ${formatBytes(page.rows
				.filter((row) => row[1] === type)
				.reduce((now, row) => now + sum(row[4]), 0))}`).join(" · ")}</span>} />
		: <Empty title="No tensors declared">
			The profile was processed without the NEFF, or the NEFF declares no
			tensors.</Empty>}</Loaded></Panel>;
}
