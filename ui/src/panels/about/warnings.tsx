// SPDX-License-Identifier: Apache-2.0
// Warnings: data missing from the capture, hardware errors, and findings of the analysis.

import type { ProfileContext } from "../../contract.ts";
import { formatNs } from "../../format.ts";
import { fetchTable, namedRows, text, timeOf } from "../parts/data.ts";
import { Button, Empty, Loaded, Panel } from "../parts/parts.tsx";
import { useLoad } from "../parts/use_load.ts";
import "./warnings.css";

export function WarningsPanel({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => ({
		warnings: namedRows(await fetchTable(context, "Warning", {}, signal)),
		errors: namedRows(await fetchTable(context, "Error", { limit: 1000 }, signal)),
		// Without insights, the rest is still worth showing.
		insights: await context.api.insights(signal).catch(() => ({ bands: [], findings: [] })),
	}), [context]);
	return <Panel label="Warnings"><Loaded
		load={load} what="warnings">{({ warnings, errors, insights }) => {
		const bands = insights.bands.slice(0, 200);
		if (!warnings.length && !errors.length && !bands.length)
			return <Empty title="No warnings">The capture is complete,
				and the hardware reported nothing.</Empty>;
		return <div class="pn-scroll wa-list">
			{errors.map((row, i) => {
				const time = timeOf(context, row["timestamp"]);
				return <article key={i} class="wa-card wa-danger">
					<h3>{text(row["type"])}</h3>
					<p>{text(row["description"])}{text(row["metadata"]) ? ` (${text(row["metadata"])})` :
						""}</p>
					<Button onClick={() => context.reveal({ table: "Error", row: String(i) })}>
						Show at {formatNs(time, 6)}</Button>
				</article>;
			})}
			{bands.map((band, i) => {
				const from = timeOf(context, band.from_ns);
				const to = timeOf(context, band.to_ns);
				return <article key={i} class="wa-card wa-warning">
					<h3>{band.title}</h3>
					<p>{band.detail}</p>
					<Button onClick={() => context.zoomTo(from, to)}>
						Zoom to {formatNs(to - from)} at {formatNs(from, 6)}</Button>
				</article>;
			})}
			{warnings.map((row, i) => <article key={i} class="wa-card">
				<h3>{text(row["category"])}</h3>
				<p>{text(row["message"])}</p>
			</article>)}
		</div>;
	}}</Loaded></Panel>;
}
