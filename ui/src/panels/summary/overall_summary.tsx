// SPDX-License-Identifier: Apache-2.0
// All metrics of the profile in groups, with explanations.

import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import { firstRow } from "../parts/data.ts";
import { Empty, Loaded, Metric, Panel, Toggle } from "../parts/parts.tsx";
import { metricGroups } from "./summary_groups.ts";
import { useLoad } from "../parts/use_load.ts";

export function OverallSummaryPanel({ context }: { context: ProfileContext }) {
	const [filter, setFilter] = useState("");
	const [showMissing, setShowMissing] = useState(false);
	const load = useLoad((signal) => firstRow(context, "Summary", signal), [context]);
	return (
		<Panel label="Overall summary" bar={<>
			<input class="pn-input dt-filter" type="search" placeholder="Filter metrics" value={filter}
				aria-label="Filter metrics" onInput={(event) => setFilter(event.currentTarget.value)} />
			<span class="pn-spring" />
			<Toggle label="Show metrics without a value" on={showMissing} change={setShowMissing} />
		</>}>
			<Loaded load={load} what="metrics">{(summary) => {
				if (!summary) return <Empty title="No summary">This profile has no metrics.</Empty>;
				const groups = metricGroups(summary.columns, summary.row, filter)
					.map((group) => ({ ...group, lines: group.lines.filter((line) => showMissing ||
						!line.isMissing) }))
					.filter((group) => group.lines.length);
				if (!groups.length) return <Empty title="No matching metrics">Try another filter.</Empty>;
				return <div class="pn-scroll"><div class="pn-groups pn-masonry">
					{groups.map((group) => (
						<section key={group.title} class="pn-group">
							<h3>{group.title}</h3>
							<dl>{group.lines.map((line) => <Metric key={line.name} name={line.title}
								value={line.value} exact={line.exact} help={line.help}
								{...(line.fraction === undefined ? {} : { bar: line.fraction })} />)}</dl>
						</section>
					))}
				</div></div>;
			}}</Loaded>
		</Panel>
	);
}
