// SPDX-License-Identifier: Apache-2.0
// Exports all rows of the visible time range as CSV, one file per table.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ProfileContext } from "../contract.ts";
import { formatNs } from "../format.ts";
import { timeText } from "./ticks.ts";
import { absoluteNs } from "./view.ts";

interface ExportDialogProps { context: ProfileContext; onClose: () => void }

export function ExportDialog({ context, onClose }: ExportDialogProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const tables = tablesOf(context);
	const [chosen, setChosen] = useState<string[]>(tables.slice(0, 1).map((table) => table.name));
	useEffect(() => dialog.current?.showModal(), []);
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
		<dialog ref={dialog} class="tl-dialog" onClose={onClose} aria-labelledby="tl-export-title">
			<h2 id="tl-export-title">Export as CSV</h2>
			<p>
				All rows of {formatNs(view.toNs - view.fromNs)} from {timeText(Math.round(view.fromNs))},
					one
				file for each table.
			</p>
			<div class="tl-checks">
				{tables.map((table) => (
					<label key={table.name}>
						<input type="checkbox" checked={chosen.includes(table.name)}
							onChange={() => toggle(table.name)} />
						<span>{table.name}</span>
						<span class="tl-dim">{table.rows.toLocaleString("en-US")} rows in total</span>
					</label>
				))}
			</div>
			<footer>
				<button type="button" onClick={onClose}>Cancel</button>
				<button type="button" class="tl-primary" disabled={!chosen.length} onClick={save}>
					Export {chosen.length > 1 ? `${chosen.length} tables` : ""}
				</button>
			</footer>
		</dialog>
	);
}

/** What people most often want comes first. */
const FIRST = ["Instruction", "SystemProfileEvents"];

/** Tables that have tracks, in the order of their rows. */
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
