// SPDX-License-Identifier: Apache-2.0
// The source line of an event.

import type { EventDetails } from "../api/types.ts";
import { fieldOf } from "./events.ts";

export const SOURCE_PANEL = "source-code";

/** In order of preference. */
const COLUMNS = ["nki_source_location", "bir_debug_info_source_location"];

export function sourceOf(details: EventDetails): { column: string; location: string } | null {
	for (const column of COLUMNS) {
		const location = fieldOf(details, column);
		if (/:\d+$/.test(location)) return { column, location };
	}
	return null;
}
