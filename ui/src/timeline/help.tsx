// SPDX-License-Identifier: Apache-2.0
// The help dialog: the timeline's keys and colours.

import { Dialog } from "../shell/dialog.tsx";
import { KeyList } from "../shell/help.tsx";
import { useStore } from "../store.ts";
import type { Actions } from "./actions.ts";
import { BAND_STYLES, ERROR_COLOUR, HIGHLIGHT_COLOUR, HIT_COLOUR } from "./colours.ts";
import { PREDECESSOR, SUCCESSOR } from "./draw_overlay.ts";
import { SHORTCUTS } from "./keys.ts";

const LEGEND: [string, string][] = [
	[PREDECESSOR, "What the selected event waited for"],
	[SUCCESSOR, "What waited for the selected event"],
	[HIT_COLOUR, "Found by the search"],
	[HIGHLIGHT_COLOUR, "Highlighted from another panel"],
	[ERROR_COLOUR, "An error the device reported"],
	...Object.values(BAND_STYLES).map(({ colour, label }): [string, string] => [colour, label]),
];

export function Help({ actions }: { actions: Actions }) {
	if (!useStore(actions.help)) return null;
	return (
		<Dialog title="Keys and colours" isWide onClose={() => actions.help.set(false)}>
			<div class="help-columns">
				{SHORTCUTS.map((section) => <KeyList key={section.title} section={section} />)}
				<section>
					<h3>Colours</h3>
					<ul class="tl-legend">
						{LEGEND.map(([colour, what]) => (
							<li key={what}><i style={{ background: colour }} />{what}</li>
						))}
						<li><i class="tl-legend-busy" />A low bar: events in one pixel that do not fill it</li>
					</ul>
				</section>
			</div>
		</Dialog>
	);
}
