// SPDX-License-Identifier: Apache-2.0
// Buttons for the previous and next result of the active search.

import type { ProfileContext } from "../../contract.ts";
import { useStore } from "../../store.ts";
import { formatInteger } from "../../format.ts";
import { goToResult, placeIn } from "./search_results.ts";
import { Button } from "../parts/parts.tsx";

export function ResultPager({ context }: { context: ProfileContext }) {
	const query = useStore(context.search);
	const place = useStore(placeIn(context));
	if (!query || !place.total) return null;
	return (
		<span class="pn-pager" role="group" aria-label="Search results">
			<Button aria-label="Previous result"
				onClick={() => void goToResult(context, place.index - 1)}>‹</Button>
			<span>{place.index < 0 ? "" : `${formatInteger(place.index + 1)} of `}
				{formatInteger(place.total)} {place.total === 1 ? "result" : "results"}</span>
			<Button aria-label="Next result"
				onClick={() => void goToResult(context, place.index + 1)}>›</Button>
		</span>
	);
}
