// SPDX-License-Identifier: Apache-2.0
// Beside a profile's name: whether its times come from a simulator instead of a device.

import type { ProfileContext } from "../../contract.ts";
import { firstRow } from "../../panels/data.ts";
import { useLoad } from "../../panels/use_load.ts";

export function SimulatedBadge({ context }: { context: ProfileContext }) {
	const load = useLoad(async (signal) => context.details.kind === "device"
		&& (await firstRow(context, "Metadata", signal))?.row["is_simulation"] === true, [context]);
	if (load.state !== "ready" || !load.value) return null;
	return <span class="pn-badge"
		title="The times come from a simulator, not from a device">simulated</span>;
}
