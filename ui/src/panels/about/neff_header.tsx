// SPDX-License-Identifier: Apache-2.0
// The header of the compiled model.

import type { ProfileContext } from "../../contract.ts";
import { firstRow } from "../parts/data.ts";
import { Empty, Loaded, Panel } from "../parts/parts.tsx";
import { Record } from "../parts/record.tsx";
import { useLoad } from "../parts/use_load.ts";

export function NeffHeaderPanel({ context }: { context: ProfileContext }) {
	const load = useLoad((signal) => firstRow(context, "NeffHeader", signal), [context]);
	return <Panel label="NEFF header"><Loaded load={load} what="the header">{(header) => header
		? <div class="pn-scroll"><div class="pn-groups pn-wide">
			<Record title="NEFF header" columns={header.columns} row={header.row} /></div></div>
		: <Empty title="No NEFF">
			This profile was made from a session file alone. Process it with the NEFF (-n
			model.neff) to see the header.</Empty>}</Loaded></Panel>;
}
