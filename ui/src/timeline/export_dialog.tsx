// SPDX-License-Identifier: Apache-2.0
// Exports all rows of the visible time range as CSV, one file per table.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../contract.ts";
import { formatNs } from "../format.ts";
import { Dialog } from "../shell/dialog.tsx";
import { timeText } from "./ticks.ts";
import { absoluteNs } from "./view.ts";

export function ExportDialog({ context, onClose }:
	{ context: ProfileContext; onClose: () => void }) {
	const tables = tablesOf(context);
	const [chosen, setChosen] = useState<string[]>(tables.slice(0, 1).map((table) => table.name));
	const view = context.view.get();
	const save = () => {
		for (const table of chosen)
			download(context.api.csvUrl(table, absoluteNs(context.originNs, view.fromNs),
				absoluteNs(context.originNs, view.toNs)), `${context.name}-${table}.csv`);
		onClose();
	};
	const toggle = (name: string) => setChosen((now) =>
		(now.includes(name) ? now.filter((one) => one !== name) : [...now, name]));
	return (
		<Dialog title="Export as CSV" onClose={onClose} onSubmit={save} foot={<>
			<button type="button" class="ui-button" onClick={onClose}>Cancel</button>
			<button type="submit" class="ui-button is-primary" disabled={!chosen.length}>
				Export {chosen.length > 1 ? `${chosen.length} tables` : ""}</button>
		</>}>
			<p class="ui-dim">
				All rows of {formatNs(view.toNs - view.fromNs)} from {timeText(Math.round(view.fromNs))},
				one file for each table.</p>
			<div class="tl-checks">
				{tables.map((table) => (
					<label key={table.name}>
						<input type="checkbox" checked={chosen.includes(table.name)}
							onChange={() => toggle(table.name)} />
						<span>{table.name}</span>
						<span class="ui-dim">{table.rows.toLocaleString("en-US")} rows in total</span>
					</label>
				))}
			</div>
		</Dialog>
	);
}

const FIRST = ["Instruction", "SystemProfileEvents"];

/** Tables that have tracks, the most wanted ones first. */
function tablesOf({ tracks, details }: ProfileContext): { name: string; rows: number }[] {
	const names = [...new Set(tracks.flatMap((track) => track.table ?? []))];
	const sorted = [...names.filter((name) => FIRST.includes(name)),
		...names.filter((name) => !FIRST.includes(name))];
	return sorted.map((name) => ({
		name, rows: Number(details.tables.find((table) => table.name === name)?.row_count ?? 0),
	}));
}

function download(url: string, name: string): void {
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
}
