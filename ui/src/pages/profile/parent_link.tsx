// SPDX-License-Identifier: Apache-2.0
// The link from a device profile to the system profile it was captured with.

import { CutName } from "../../shell/cut_name.tsx";
import { Link } from "../../shell/link.tsx";

export function ParentLink({ parent }: { parent: string | null }) {
	if (parent === null) return null;
	return (
		<span class="top-parent">
			<Link to={{ page: "analysis", profile: parent }}
				aria-label={`${parent}, the system profile it was captured with`}
				title={`${parent}: the system profile it was captured with`}>
				<CutName name={parent} /></Link>
			<span class="ui-dim" aria-hidden="true">/</span>
		</span>
	);
}
