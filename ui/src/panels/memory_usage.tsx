// SPDX-License-Identifier: Apache-2.0
// Memory: of a device profile the state buffer over time and what device memory was taken for; of a
// system profile device and host memory and the processors' load as curves.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../contract.ts";
import { formatBytes } from "../format.ts";
import { fetchTable, namedRows, num, text } from "./data.ts";
import { DataTable } from "./data_table.tsx";
import { Empty, Loaded, Panel, Tabs } from "./parts.tsx";
import { SbufMap } from "./sbuf_map.tsx";
import { SystemCurve } from "./system_curves.tsx";
import { useLoad } from "./use_load.ts";

type Tab = "sbuf" | "device" | "hbm" | "host" | "cpu";

const DEVICE: { id: Tab; title: string }[] = [
	{ id: "sbuf", title: "State buffer" }, { id: "device", title: "Device memory" }];
const SYSTEM: { id: Tab; title: string }[] = [
	{ id: "hbm", title: "Device memory" }, { id: "host", title: "Host memory" }, { id: "cpu", title: "Processors" }];

export function MemoryUsagePanel({ context }: { context: ProfileContext }) {
	const tabs = context.details.kind === "system" ? SYSTEM : DEVICE;
	const [tab, setTab] = useState<Tab>(tabs[0]!.id);
	return (
		<Panel label="Memory usage" bar={
			<Tabs label="Memories" value={tab} tabs={tabs} change={setTab} />}>
			{tab === "sbuf" ? <SbufMap context={context} />
				: tab === "device" ? <DeviceMemory context={context} />
					: <SystemCurve context={context} kind={tab} />}
		</Panel>
	);
}

function DeviceMemory({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => namedRows(
		await fetchTable(context, "HbmUsageSummaryByType", {}, signal)), [context]);
	return <Loaded load={load} what="device memory">{(rows) => {
		if (!rows.length) return <Empty title="Not recorded">The capture does not tell how much device memory
			was taken.</Empty>;
		const totals = rows.filter((row) => text(row["usage_type"]) === "Total");
		const totalOf = (core: string) => num(totals.find((row) => text(row["neuroncore_idx"]) === core)?.["usage_bytes"]);
		return <DataTable label="Device memory when the capture began" order={{ column: 2, down: true }}
			columns={[{ name: "type", title: "Taken for", width: 240 }, { name: "core", title: "Core", unit: "id" },
				{ name: "bytes", title: "Bytes", unit: "bytes" },
				{ name: "share", title: "Share of the core's", unit: "fraction" }]}
			rows={rows.filter((row) => text(row["usage_type"]) !== "Total").map((row) => [row["usage_type"] ?? null,
				row["neuroncore_idx"] ?? null, num(row["usage_bytes"]),
				num(row["usage_bytes"]) / totalOf(text(row["neuroncore_idx"]))])}
			bar={<span class="pn-dim">{totals.map((row) =>
				`Core ${text(row["neuroncore_idx"])}: ${formatBytes(num(row["usage_bytes"]))}`).join(" · ")}</span>} />;
	}}</Loaded>;
}
