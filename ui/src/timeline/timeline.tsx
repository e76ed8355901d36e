// SPDX-License-Identifier: Apache-2.0
// The timeline of a device or system profile: rows of spans and counters over time. These
// components only do the layout; stage.ts draws, interact.ts handles input, actions.ts executes
// commands.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileContext } from "../contract.ts";
import { useStore } from "../store.ts";
import { Actions } from "./actions.ts";
import { Gutter } from "./gutter.tsx";
import { Help } from "./help.tsx";
import { HoverCard } from "./hover_card.tsx";
import { Interaction } from "./interact.ts";
import { Menu } from "./menu.tsx";
import { showAllRows } from "./rows.ts";
import { Stage } from "./stage.ts";
import { Toolbar } from "./toolbar.tsx";
import "./timeline.css";

const GUTTER_PX = { device: 176, system: 224 }; // system profiles have longer labels
const CANVAS_LABEL = "Events. Arrow keys move and zoom, J and K choose a row, N and P an event, " +
	"question mark for help.";
const MIN_GUTTER_PX = 96;
const MAX_GUTTER_PX = 480;

export function Timeline({ context }: { context: ProfileContext }) {
	const parts = useMemo(() => {
		const stage = new Stage(context);
		const actions = new Actions(stage);
		return { stage, actions, interaction: new Interaction(actions) };
	}, [context]);
	return <Parts key={context.name} context={context} {...parts} />;
}

interface PartsProps {
	context: ProfileContext;
	stage: Stage;
	actions: Actions;
	interaction: Interaction;
}

function Parts({ context, stage, actions, interaction }: PartsProps) {
	const root = useRef<HTMLElement>(null);
	const scroller = useRef<HTMLDivElement>(null);
	const base = useRef<HTMLCanvasElement>(null);
	const overlay = useRef<HTMLCanvasElement>(null);
	const cursor = useRef<HTMLDivElement>(null);
	const axis = useRef<HTMLCanvasElement>(null);
	const map = useRef<HTMLCanvasElement>(null);
	const layout = useStore(stage.layout);
	const mode = useStore(actions.mode);
	const [gutter, setGutter] = useState(GUTTER_PX[context.details.kind]);
	useEffect(() => {
		const surfaces = {
			root: root.current!, scroller: scroller.current!, base: base.current!,
			overlay: overlay.current!, cursor: cursor.current!, axis: axis.current!, map: map.current!,
		};
		stage.attach(surfaces);
		interaction.attach(surfaces);
		return () => {
			interaction.detach();
			stage.detach();
		};
	}, [stage]);
	useEffect(() => {
		root.current!.style.setProperty("--tl-gutter", `${gutter}px`);
		stage.measure();
	}, [gutter]);
	return (
		<section ref={root} class="tl-root" aria-label="Timeline" data-mode={mode} tabIndex={-1}>
			<Toolbar context={context} actions={actions} />
			<div class="tl-head">
				<div class="tl-corner">Whole profile</div>
				<canvas ref={map} class="tl-map" data-map="1"
					aria-label="The whole profile; drag the lens to move" />
				<div class="tl-corner">Time</div>
				<canvas ref={axis} class="tl-axis" aria-hidden="true" />
				<Divider width={gutter} onChange={setGutter} />
			</div>
			<div ref={scroller} class="tl-scroller">
				<div class="tl-content" style={{ height: `${layout.height}px` }}>
					<div class="tl-sticky">
						<div class="tl-pinned" style={{ height: `${layout.pinnedHeight}px` }}>
							<Gutter actions={actions} isPinned={true} />
						</div>
						<div class="tl-canvases">
							<canvas ref={base} />
							<div ref={cursor} class="tl-cursor" hidden={true} />
							<canvas ref={overlay} class="tl-overlay" tabIndex={0} role="application"
								aria-label={CANVAS_LABEL} />
						</div>
					</div>
					<Gutter actions={actions} isPinned={false} />
				</div>
				<Notice context={context} stage={stage} />
			</div>
			<HoverCard stage={stage} interaction={interaction} />
			<Menu actions={actions} />
			<Help actions={actions} />
			<Speaker actions={actions} context={context} />
		</section>
	);
}

/** Explains an empty, loading or failing timeline. */
function Notice({ context, stage }: { context: ProfileContext; stage: Stage }) {
	const layout = useStore(stage.layout);
	const failure = useStore(stage.feed.failure);
	const hasData = useStore(stage.feed.hasData);
	if (failure)
		return (
			<div class="tl-notice tl-failure" role="alert">
				{failure} Retrying every few seconds.
			</div>
		);
	if (!context.tracks.length)
		return (
			<div class="tl-notice">
				This profile has no events to show. Its tables may still have rows.
			</div>
		);
	if (!layout.rows.length)
		return (
			<div class="tl-notice">
				All rows are hidden.{" "}
				<button type="button" class="tl-text-tool"
					onClick={() => context.settings.update(showAllRows)}>Show them</button>
			</div>
		);
	return hasData ? null : <div class="tl-notice">Loading the timeline…</div>;
}

/** Announces the selection to screen readers. */
function Speaker({ actions, context }: { actions: Actions; context: ProfileContext }) {
	const text = useStore(actions.announcement);
	useEffect(() => context.selected.watch(() => {
		setTimeout(() => void actions.announceSelected(), 300); // after its details have arrived
	}), [context]);
	return <div class="tl-speaker" aria-live="polite">{text}</div>;
}

/** The line between labels and events, which can be dragged. */
function Divider({ width, onChange }: { width: number; onChange: (width: number) => void }) {
	const limit = (px: number) => Math.min(Math.max(px, MIN_GUTTER_PX), MAX_GUTTER_PX);
	return (
		<div class="tl-divider" role="separator" aria-orientation="vertical"
			aria-label="Width of the labels"
			aria-valuenow={width} aria-valuemin={MIN_GUTTER_PX} aria-valuemax={MAX_GUTTER_PX} tabIndex={0}
			onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
			onPointerMove={(event) => {
				if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
				const left = event.currentTarget.parentElement!.getBoundingClientRect().left;
				onChange(limit(event.clientX - left));
			}}
			onKeyDown={(event) => {
				if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
				event.stopPropagation();
				onChange(limit(width + (event.key === "ArrowLeft" ? -16 : 16)));
			}} />
	);
}
