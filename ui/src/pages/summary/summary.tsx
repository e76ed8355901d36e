// SPDX-License-Identifier: Apache-2.0
// The summary page of a profile.

import type { ProfileContext } from "../../contract.ts";

export function SummaryPage(_: { context: ProfileContext }) {
	return <p>Summary</p>;
}
