// SPDX-License-Identifier: Apache-2.0
// The DMA queues a program declares, and what went through them.

import type { ProfileContext } from "../../contract.ts";
import { ask, fetchTable, namedRows, num, text } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

const TRAFFIC = `SELECT queue_name AS name, pcore_idx AS core, any_value(queue_type) AS class,
	count(*) AS n, count(DISTINCT engine_idx) AS engines, sum(transfer_bytes) AS bytes,
	avg(transfer_bytes) AS size, sum(duration_ns) AS busy, min(start_ts) AS a, max(end_ts) AS b
	FROM DmaPacket GROUP BY ALL ORDER BY bytes DESC`;

const COLUMNS = [
	{ name: "name", title: "Queue", width: 220 }, { name: "core", title: "Core" },
	{ name: "type", title: "Carries", help: "In the program's own words" },
	{ name: "class", title: "Fed by", help: "Who makes its descriptors" },
	{ name: "engines", title: "DMA engines" }, { name: "packets", title: "Packets" },
	{ name: "bytes", title: "Bytes", unit: "bytes" },
	{ name: "size", title: "Bytes per packet", unit: "bytes" },
	{ name: "busy", title: "Packet time", unit: "nanoseconds",
		help: "Durations of its packets added up" },
	{ name: "rate", title: "Rate while used", unit: "bytes_per_second",
		help: "Bytes over the time from its first packet to its last" },
];

export function DmaQueuesPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => {
		const declared = namedRows(await fetchTable(context, "DmaQueuesInfo", {}, signal));
		const traffic = await ask(context, ["DmaPacket"], TRAFFIC, 10_000, signal);
		const kinds = new Map(declared.map((row) =>
			[`${text(row["name"])}/${text(row["pcore_idx"])}`, row]));
		const seen = new Set(traffic.map((row) => `${text(row["name"])}/${text(row["core"])}`));
		return [
			...traffic.map((row) => {
				const kind = kinds.get(`${text(row["name"])}/${text(row["core"])}`);
				const time = num(row["b"]) - num(row["a"]);
				return [row["name"] ?? "(not declared)", row["core"] ?? null, kind?.["type"] ?? null,
					row["class"] ?? null, row["engines"] ?? null, row["n"] ?? null, num(row["bytes"]),
					num(row["size"]), num(row["busy"]), time > 0 ? num(row["bytes"]) / time * 1e9 : null];
			}),
			...[...kinds].filter(([key]) => !seen.has(key)).map(([, row]) => [row["name"] ?? null,
				row["pcore_idx"] ?? null, row["type"] ?? null, null, null, 0, 0, null, null, null]),
		];
	}, [context]);
	return <Panel label="DMA queues"><Loaded load={load} what="DMA queues">{(rows) => rows.length
		? <DataTable label="DMA queues" columns={COLUMNS} rows={rows}
			choose={(row) => context.highlight.set({ table: "DmaPacketAggregated",
				where: [`queue_name=${text(row[0])}`], text: "" })} />
		: <Empty title="No DMA queues">The program declares none, and no packet was recorded.</Empty>}
	</Loaded></Panel>;
}
