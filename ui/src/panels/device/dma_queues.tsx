// SPDX-License-Identifier: Apache-2.0
// The DMA queues of a program and their traffic.

import type { ProfileContext } from "../../contract.ts";
import { text } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

const COLUMNS = [
	{ name: "name", title: "Queue", width: 220 }, { name: "core", title: "Core" },
	{ name: "type", title: "Carries", help: "As named in the NEFF" },
	{ name: "class", title: "Fed by", help: "What generates its descriptors" },
	{ name: "engines", title: "DMA engines" }, { name: "packets", title: "Packets" },
	{ name: "bytes", title: "Bytes", unit: "bytes" },
	{ name: "size", title: "Bytes per packet", unit: "bytes" },
	{ name: "busy", title: "Packet time", unit: "nanoseconds",
		help: "Sum of its packets' durations" },
	{ name: "rate", title: "Rate while used", unit: "bytes_per_second",
		help: "Bytes divided by the time from its first packet to its last" },
];

export function DmaQueuesPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) =>
		(await context.api.query("dma_queues", {}, 10_000, signal)).rows, [context]);
	return <Panel label="DMA queues"><Loaded load={load} what="DMA queues">{(rows) => rows.length
		? <DataTable label="DMA queues" columns={COLUMNS} rows={rows}
			choose={(row) => context.highlight.set({ table: "DmaPacketAggregated",
				where: [`queue_name=${text(row[0])}`], text: "" })} />
		: <Empty title="No DMA queues">
			The program declares no queues, and no packets were recorded.</Empty>}
	</Loaded></Panel>;
}
