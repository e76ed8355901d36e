// SPDX-License-Identifier: Apache-2.0
// Chains of system events that belong together, such as all events of one execution.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { formatInteger } from "../../format.ts";
import { num, query, text, timeOf, type Row } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { FlowTable, MOST_FLOW_EVENTS } from "./event_system.tsx";
import { Button, Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

export function FlowsPanel({ context }: { context: ProfileContext }) {
	const [flow, setFlow] = useState<string | null>(null);
	const load = useLoad((signal) => query(context, "flows", {}, 10_000, signal), [context]);
	const chain = useLoad((signal) => flow
		? query(context, "flow_events", { flows: flow }, MOST_FLOW_EVENTS, signal)
		: Promise.resolve<Row[]>([]), [context, flow]);
	if (flow)
		return <Panel label="Flows" bar={<>
			<Button onClick={() => setFlow(null)}>‹ All flows</Button><span>Flow {flow}</span></>}>
			<Loaded load={chain} what="the flow">{(rows) =>
				<FlowTable context={context} rows={rows} current={-1} />}</Loaded>
		</Panel>;
	return <Panel label="Flows"><Loaded load={load} what="flows">{(rows) => rows.length
		? <DataTable label="Flows" columns={[{ name: "flow", title: "Flow", unit: "id", width: 180,
			align: "left" },
			{ name: "first", title: "Begins with", width: 180 }, { name: "n", title: "Events" },
			{ name: "hw", title: "On the device" }, { name: "start", title: "Start",
				unit: "nanoseconds" },
			{ name: "span", title: "Duration", unit: "nanoseconds" }]}
			rows={rows.map((row) => {
				const start = timeOf(context, row["start_ts"]);
				return [row["flow"] ?? null, row["first_name"] ?? null, num(row["event_count"]),
					num(row["device_event_count"]), start, timeOf(context, row["end_ts"]) - start];
			})}
			choose={(row) => {
				setFlow(text(row[0]));
				context.zoomTo(num(row[4]), num(row[4]) + num(row[5]));
			}}
			bar={<span class="pn-dim">{formatInteger(rows.length)} {rows.length === 1 ? "flow" : "flows"};
				choose one to see its events</span>} />
		: <Empty title="No flows">No event in this profile has a flow ID.</Empty>}</Loaded>
			</Panel>;
}
