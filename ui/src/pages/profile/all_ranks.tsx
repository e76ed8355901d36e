// SPDX-License-Identifier: Apache-2.0
// The link from the profile of one rank to all ranks of its run.

import { useEffect, useState } from "preact/hooks";
import { server } from "../../server.ts";
import { Link } from "../../shell/link.tsx";

/** Renders nothing for profiles that are not ranks, which their name tells. */
export function AllRanks({ profile }: { profile: string }) {
	const [count, setCount] = useState(0);
	useEffect(() => {
		setCount(0);
		if (!/rank_?\d/.test(profile)) return;
		const asking = new AbortController();
		server.ranks(profile, asking.signal).then(({ ranks }) => setCount(ranks.length), () =>
			undefined);
		return () => asking.abort();
	}, [profile]);
	if (count < 2) return null;
	return <Link class="top-tab" to={{ page: "ranks", profile }}
		title="Compare this rank with the others of its run">All {count} ranks</Link>;
}
