// SPDX-License-Identifier: Apache-2.0
// A badge for profiles whose times, or whose devices' times, come from a simulator.

import type { Profile } from "../api/types.ts";

export function SimulatedBadge({ of }: { of: Pick<Profile, "kind" | "simulated"> }) {
	if (!of.simulated) return null;
	return <span class="ui-badge" title={of.kind === "device"
		? "The times come from a simulator, not from a device"
		: "The times of its device profiles come from a simulator, not from devices"}>simulated</span>;
}
