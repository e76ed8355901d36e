// SPDX-License-Identifier: Apache-2.0
// The tour of the first visit to a profile: six steps, each with a frame around what it is about.
// Nothing is blocked meanwhile. Keyboard help starts it again.

import { useEffect, useState } from "preact/hooks";
import { recall, remember } from "../state/remember.ts";
import { createStore, useStore } from "../store.ts";
import "./tour.css";

interface Step {
	title: string;
	text: string;
	about: string; // a selector
}

const STEPS: Step[] = [
	{ title: "The timeline", about: ".tl-scroller",
		text: "Each row is an engine, a queue or a thread. Drag to zoom, use W, A, S and D to move, " +
			"and F to see everything again." },
	{ title: "One event", about: "#dock-tab-event-details",
		text: "Click an event: its fields, its dependencies and, for calls, its flow are here." },
	{ title: "A part of the time", about: ".tl-tool[title^='Select a box']",
		text: "Press B and drag a box. Its statistics open by themselves." },
	{ title: "Search", about: "#dock-tab-search",
		text: "Find events by any field. The matches are marked on the timeline, and ‹ › step " +
			"through them." },
	{ title: "Findings", about: ".top-tabs",
		text: "The summary says what to fix first, and leads to the place." },
	{ title: "More panels", about: ".top-right .is-primary",
		text: "Source code with the cost of each line, SQL, memory, steps and more. Press ? for " +
			"all keys." },
];

const KEY = "tour";
const at = createStore<number | null>(
	recall<string>(KEY, (value) => value === "seen") === null ? 0 : null);

export const startTour = () => at.set(0);

function endTour(): void {
	remember(KEY, "seen");
	at.set(null);
}

/** Where an element is, followed while the tour is at it; null if it is not on the page. */
function usePlace(selector: string): DOMRect | null {
	const [place, setPlace] = useState<DOMRect | null>(null);
	useEffect(() => {
		const find = () => {
			const now = document.querySelector(selector)?.getBoundingClientRect() ?? null;
			setPlace((before) => (JSON.stringify(before) === JSON.stringify(now) ? before : now));
		};
		find();
		const timer = setInterval(find, 200);
		return () => clearInterval(timer);
	}, [selector]);
	return place;
}

export function Tour() {
	const now = useStore(at);
	return now === null ? null : <TourStep number={now} />;
}

function TourStep({ number }: { number: number }) {
	const { title, text, about } = STEPS[number]!;
	const place = usePlace(about);
	const isLast = number === STEPS.length - 1;
	return (
		<>
			{place && <div class="tour-frame" style={{ left: `${place.left - 2}px`,
				top: `${place.top - 2}px`, width: `${place.width}px`, height: `${place.height}px` }} />}
			<section class="tour" aria-label="Tour" aria-live="polite">
				<h2>{title}</h2>
				<p>{text}</p>
				<div class="tour-foot">
					<span class="ui-dim">{number + 1} of {STEPS.length}</span>
					<button type="button" class="ui-button is-quiet" onClick={endTour}>
						{isLast ? "Close" : "Skip"}</button>
					{!isLast && <button type="button" class="ui-button is-primary"
						onClick={() => at.set(number + 1)}>Next</button>}
				</div>
			</section>
		</>
	);
}
