// SPDX-License-Identifier: Apache-2.0
// Tensors and how often they were loaded.

import type { ProfileContext } from "../../contract.ts";
import { formatCell, formatInteger, formatNumber } from "../../format.ts";
import { fetchTable, num, tableColumns, text } from "../parts/data.ts";
import { DataTable } from "../parts/data_table.tsx";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";

const MANY_LOADS = 2; // a tensor that is loaded more often gets a warning

const TITLES: Record<string, string> = {
	load_to_sbuf_avg_size_bytes: "Mean DMA", load_to_sbuf_total_size_bytes: "Loaded",
	load_to_sbuf_dma_count: "DMAs", load_to_sbuf_repeat_factor: "Loaded × size", pcore_idx: "Core",
	variable_name: "Tensor",
};

export function TensorsPanel({ context }: { context: ProfileContext }) {
	const load = useLoad((signal) => fetchTable(context, "TensorInfo", {}, signal), [context]);
	return <Panel label="Tensors"><Loaded load={load} what="tensors">{(page) => {
		if (!page.rows.length)
			return <Empty title="No tensors known">The profile was processed without the NEFF,
				or the NEFF declares no tensors.</Empty>;
		const columns = tableColumns(page.columns).map((column) => ({ ...column,
			title: TITLES[column.name] ?? column.title ?? column.name }));
		const at = columns.findIndex((column) => column.name === "load_to_sbuf_repeat_factor");
		const often = page.rows.filter((row) => num(row[at]) > MANY_LOADS).length;
		return <>
			{often ? <p class="pn-note pn-note-warning">{formatInteger(often)} {often === 1 ? "tensor was"
				: "tensors were"}
				{" "}loaded more than {MANY_LOADS} times. Larger tiles or a different loop order
				can keep them on the chip.</p> : null}
			<DataTable label="Tensors" columns={columns} rows={page.rows} total={Number(page.total)}
				order={{ column: at, down: true }}
				render={(cell, column) => column.name !== "load_to_sbuf_repeat_factor" ? null
					: num(cell) > MANY_LOADS ? <span
						class="pn-tone-warning">▲ {formatNumber(num(cell))}×</span>
						: <>{formatCell(cell)}{cell === null ? "" : "×"}</>}
				choose={(row) => context.search.set({ table: "DmaPacketAggregated",
					where: [`variable=${text(row[0])}`], text: "" })} />
		</>;
	}}</Loaded></Panel>;
}
