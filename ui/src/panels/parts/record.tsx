// SPDX-License-Identifier: Apache-2.0
// A single row of a table as names and values.

import type { Column } from "../../api/types.ts";
import type { Row } from "./data.ts";
import { Metric } from "./parts.tsx";
import { metricLine } from "../summary/summary_groups.ts";

export function Record(props: { title: string; columns: Column[]; row: Row }) {
	const lines = props.columns.map((column) => metricLine(column, props.row[column.name]))
		.filter((line) => !line.isMissing);
	return (
		<section class="pn-group">
			<h3>{props.title}</h3>
			<dl>{lines.map((line) => <Metric key={line.name} name={line.title} value={line.value}
				exact={line.exact} help={line.help} />)}</dl>
		</section>
	);
}
