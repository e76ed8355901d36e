// SPDX-License-Identifier: Apache-2.0
// When and how much the tensor engine was throttled.

import type { ProfileContext } from "../../contract.ts";
import { formatFraction, formatNs } from "../../format.ts";
import { fetchTable, namedRows, num, text, timeOf } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

export function ThrottlingPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => ({
		sums: namedRows(await fetchTable(context, "ThrottleSummary", {}, signal)),
		records: namedRows(await fetchTable(context, "Throttle", {}, signal)),
	}), [context]);
	return <Panel label="Throttling"><Loaded load={load} what="throttling">{({ sums, records }) => {
		if (!records.length && !sums.length) return <Empty title="No throttling recorded">
			The capture contains no throttling of the tensor engine.</Empty>;
		const all = sums.filter((row) => text(row["throttle_type"]) === "all");
		return <>
			{all.map((row, i) => <p key={i} class={num(row["throttle_active_time_percent"]) > 0.05
				? "pn-note pn-note-warning" : "pn-note"}>
				Core {text(row["nc_idx"])}: throttled for {formatNs(num(row["throttle_active_time_ns"]))}
				{" "}({formatFraction(num(row["throttle_active_time_percent"]))} of the time); at most
				{" "}{formatFraction(num(row["max_achievable_util_with_throttling_percent"]))}
				{" "}utilisation was possible.
			</p>)}
			<DataTable label="Limits" columns={[{ name: "start", title: "From", unit: "nanoseconds" },
				{ name: "duration", title: "For", unit: "nanoseconds" },
				{ name: "limit", title: "Allowed", unit: "fraction",
					help: "Cycles in which the engine may work, k of n" },
				{ name: "pattern", title: "Pattern", align: "right" }, { name: "type", title: "Cause" },
				{ name: "core", title: "Core" }]}
				rows={records.map((row) => [timeOf(context, row["timestamp"]), num(row["duration"]),
					num(row["k"]) / num(row["n"]), `${text(row["k"])} of ${text(row["n"])}`,
					row["type"] ?? null, row["pcore_idx"] ?? null])}
				choose={(row) => context.zoomTo(num(row[0]), num(row[0]) + num(row[1]))} />
		</>;
	}}</Loaded></Panel>;
}
