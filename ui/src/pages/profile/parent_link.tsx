// SPDX-License-Identifier: Apache-2.0
// The link before a device profile's name to the system profile it was captured with.

import { CutName } from "../../shell/cut_name.tsx";
import { follow, urlOf } from "../../state/navigate.ts";

export function ParentLink({ parent }: { parent: string | null }) {
	if (parent === null) return null;
	const to = { page: "analysis", profile: parent } as const;
	return (
		<span class="top-parent">
			<a href={urlOf(to)} aria-label={`${parent}, the system profile it was captured with`}
				title={`${parent}: the system profile it was captured with`}
				onClick={(event) => follow(event, to)}><CutName name={parent} /></a>
			<span class="ui-dim" aria-hidden="true">/</span>
		</span>
	);
}
