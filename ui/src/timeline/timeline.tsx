// SPDX-License-Identifier: Apache-2.0
// The timeline of a profile.

import type { ProfileContext } from "../contract.ts";

export function Timeline({ context }: { context: ProfileContext }) {
	return <p>The timeline of {context.name} will be drawn here.</p>;
}
