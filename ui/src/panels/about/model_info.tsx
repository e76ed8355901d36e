// SPDX-License-Identifier: Apache-2.0
// Facts about the capture (machine, versions, peak rates, executions) and about the compiled model:
// its header and the tensors it declares.

import type { ProfileContext } from "../../contract.ts";
import { fetchTable, firstRow, tableColumns, sum, type Row } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { Record } from "../parts/record.tsx";
import { useLoad } from "../parts/use_load.ts";
import { formatBytes, formatVersion, isDate } from "../../format.ts";

const MACHINE = /_freq$|bandwidth|num_|channels|ticks/;

/** Without dates of clocks that start at 0, and versions that were not recorded. */
function knownOf(row: Row): Row {
	return Object.fromEntries(Object.entries(row).map(([name, cell]) => {
		if (typeof cell !== "string") return [name, cell];
		const known = name.endsWith("_version") ? formatVersion(cell) : isDate(cell) ? cell : "";
		return [name, known || null];
	}));
}

export function ModelInfoPanel({ context }: { context: ProfileContext }) {
	const isSystem = context.details.kind === "system";
	const load = useLoad(async (signal) => ({
		about: await firstRow(context, isSystem ? "SystemProfileMetadata" : "Metadata", signal),
		executions: await fetchTable(context, "ExecutionInfo", {}, signal),
	}), [context]);
	return <Panel label="Model info"><Loaded load={load} what="the profile's description">
		{({ about, executions }) => about
			? <div class="pn-scroll">
				<div class="pn-groups pn-wide">
					<Record title="Capture" columns={about.columns.filter((one) => !MACHINE.test(one.name))}
						row={knownOf(about.row)} />
					<Record title="Machine" columns={about.columns.filter((one) => MACHINE.test(one.name))}
						row={about.row} />
				</div>
				{executions.rows.length ? <div class="pn-fixed"><DataTable label="Executions"
					columns={tableColumns(executions.columns)} rows={executions.rows} /></div> : null}
			</div>
			: <Empty title="No model info">This profile contains no metadata.</Empty>}
	</Loaded></Panel>;
}

export function NeffHeaderPanel({ context }: { context: ProfileContext }) {
	const load = useLoad((signal) => firstRow(context, "NeffHeader", signal), [context]);
	return <Panel label="NEFF header"><Loaded load={load} what="the header">{(header) => header
		? <div class="pn-scroll"><div class="pn-groups pn-wide">
			<Record title="NEFF header" columns={header.columns} row={header.row} /></div></div>
		: <Empty title="No NEFF">
			This profile was made from a session file alone. Process it with the NEFF (-n
			model.neff) to see the header.</Empty>}</Loaded></Panel>;
}

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
