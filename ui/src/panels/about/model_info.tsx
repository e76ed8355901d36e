// SPDX-License-Identifier: Apache-2.0
// Facts about the whole capture: machine, versions, peak rates, executions.

import type { ProfileContext } from "../../contract.ts";
import { fetchTable, firstRow, tableColumns } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { Record } from "../parts/record.tsx";
import { useLoad } from "../parts/use_load.ts";

const MACHINE = /_freq$|bandwidth|num_|channels|ticks/;

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
						row={about.row} />
					<Record title="Machine" columns={about.columns.filter((one) => MACHINE.test(one.name))}
						row={about.row} />
				</div>
				{executions.rows.length ? <div class="pn-fixed"><DataTable label="Executions"
					columns={tableColumns(executions.columns)} rows={executions.rows} /></div> : null}
			</div>
			: <Empty title="No model info">This profile contains no metadata.</Empty>}
	</Loaded></Panel>;
}
