// SPDX-License-Identifier: Apache-2.0
// The help overlay: keys and what colours mean.

import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../store.ts";
import type { Actions } from "./actions.ts";
import { BAND_STYLES, ERROR_COLOUR, HIGHLIGHT_COLOUR, HIT_COLOUR } from "./colours.ts";
import { PREDECESSOR, SUCCESSOR } from "./draw_overlay.ts";
import { Icon } from "./icons.tsx";
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
	return useStore(actions.help) ? <HelpDialog onClose={() => actions.help.set(false)} /> : null;
}

function HelpDialog({ onClose }: { onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog ref={dialog} class="tl-dialog tl-help" onClose={onClose} aria-labelledby="tl-help-title"
			onClick={(event) => event.target === dialog.current && onClose()}
			onKeyDown={(event) => event.key === "?" && onClose()}>
			<header>
				<h2 id="tl-help-title">Keys and colours</h2>
				<button type="button" class="tl-tool" aria-label="Close" onClick={onClose}>
					<Icon name="close" /></button>
			</header>
			<div class="tl-help-columns">
				{SHORTCUTS.map(({ title, list }) => (
					<section key={title}>
						<h3>{title}</h3>
						<dl>
							{list.map(({ keys, what }) => (
								<div key={what}>
									<dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
									<dd>{what}</dd>
								</div>
							))}
						</dl>
					</section>
				))}
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
		</dialog>
	);
}
