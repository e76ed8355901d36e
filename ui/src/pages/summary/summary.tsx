// SPDX-License-Identifier: Apache-2.0
// The summary page of a profile.

import type { ProfileContext } from "../../contract.ts";

export function SummaryPage({ context }: { context: ProfileContext }) {
	return <p>The summary of {context.name} will be shown here.</p>;
}
