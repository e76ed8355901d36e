// SPDX-License-Identifier: Apache-2.0
// Keyboard help. Parts of a page add their own sections with addHelp.

import { createStore, useStore } from "../store.ts";
import { Dialog } from "./dialog.tsx";
import { startTour } from "./tour.tsx";
import "./help.css";

export interface HelpSection {
	title: string;
	keys: { keys: string; does: string }[]; // keys: "Ctrl+Shift+X"; " / " separates alternatives
}

const sections = createStore<HelpSection[]>([
	{
		title: "Everywhere",
		keys: [
			{ keys: "?", does: "Show this help" },
			{ keys: "\\", does: "Show or hide the sidebar" },
			{ keys: ".", does: "Focus mode: hide the bars" },
			{ keys: "L", does: "Switch between dark and light" },
			{ keys: "/", does: "Find a profile (Profile Manager)" },
			{ keys: "Esc", does: "Close the open dialog or menu" },
		],
	},
	{
		title: "Panels",
		keys: [
			{ keys: "I", does: "Add a panel" },
			{ keys: "← / →", does: "On a tab: previous or next tab" },
			{ keys: "Ctrl+Shift+← / ↑ / → / ↓", does: "On a tab: move it to that side" },
			{ keys: "Enter", does: "On a tab: maximise or restore" },
			{ keys: "Delete", does: "On a tab: close the panel" },
			{ keys: "← / ↑ / → / ↓", does: "On a divider: resize panels" },
		],
	},
]);
export const isHelpOpen = createStore(false);

/** Adds a section, or replaces the one with the same title. */
export function addHelp(section: HelpSection): void {
	sections.update((all) => [...all.filter((one) => one.title !== section.title), section]);
}

function Keys({ text }: { text: string }) {
	return (
		<span class="help-keys">
			{text.split(" / ").map((choice) => (
				<span key={choice}>{choice.split("+").map((key) => key.trim()).map((key) => <kbd
					key={key}>{key}</kbd>)}</span>
			))}
		</span>
	);
}

export function KeyList({ section: { title, keys } }: { section: HelpSection }) {
	return (
		<section>
			<h3>{title}</h3>
			<dl>
				{keys.map((key) => (
					<div key={key.keys + key.does}><dt><Keys text={key.keys} /></dt><dd>{key.does}</dd></div>
				))}
			</dl>
		</section>
	);
}

export function Help() {
	const isOpen = useStore(isHelpOpen);
	const all = useStore(sections);
	if (!isOpen) return null;
	return (
		<Dialog title="Keyboard" isWide onClose={() => isHelpOpen.set(false)}>
			<p><button type="button" class="ui-button" onClick={() => {
				isHelpOpen.set(false);
				startTour();
			}}>Take the tour</button> <span class="ui-dim">Six steps, on the page of a profile.</span></p>
			<div class="help-columns">
				{all.map((section) => <KeyList key={section.title} section={section} />)}
			</div>
		</Dialog>
	);
}
