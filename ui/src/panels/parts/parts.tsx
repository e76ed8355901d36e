// SPDX-License-Identifier: Apache-2.0
// Building blocks of panels.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProfileContext } from "../../contract.ts";
import type { Load } from "./use_load.ts";
import { wholeView } from "../../state/home.ts";
import "./parts.css";

export function Panel(props: { bar?: ComponentChildren; children: ComponentChildren;
	label: string }) {
	return (
		<section class="pn" aria-label={props.label}>
			{props.bar ? <div class="pn-bar">{props.bar}</div> : null}
			<div class="pn-body">{props.children}</div>
		</section>
	);
}

export function Empty(props: { title: string; children?: ComponentChildren }) {
	return (
		<div class="pn-empty" role="status">
			<p class="pn-empty-title">{props.title}</p>
			{props.children ? <p class="pn-empty-text">{props.children}</p> : null}
		</div>
	);
}

export function Failed(props: { sentence: string; again?: () => void }) {
	return (
		<div class="pn-empty" role="alert">
			<p class="pn-empty-title pn-failed">This could not be loaded</p>
			<p class="pn-empty-text">{props.sentence}</p>
			{props.again ? <button class="pn-button" onClick={props.again}>Try again</button> : null}
		</div>
	);
}

export function Loading(props: { what?: string }) {
	return (
		<div class="pn-empty" role="status" aria-live="polite">
			<p class="pn-empty-text pn-wait">Loading {props.what ?? ""}…</p>
		</div>
	);
}

/** Data that is loading, loaded or failed; the previous data stays, dimmed, during a reload. */
export function Loaded<T>(props: { load: Load<T>; what?: string;
	children: (value: T) => ComponentChildren }) {
	const load = props.load;
	if (load.state === "failed") return <Failed sentence={load.sentence} again={load.again} />;
	if (load.state === "ready") return <>{props.children(load.value)}</>;
	if (load.before === undefined) return <Loading what={props.what ?? ""} />;
	return <div class="pn-stale" aria-busy="true">{props.children(load.before)}</div>;
}

type ButtonProps = JSX.HTMLAttributes<HTMLButtonElement> & {
	kind?: "plain" | "main" | "quiet"; disabled?: boolean; type?: "button" | "submit";
};

export function Button({ kind = "plain", class: more, ...rest }: ButtonProps) {
	return <button type="button" {...rest} class={`pn-button pn-button-${kind} ${more ?? ""}`} />;
}

export function Toggle(props: { label: string; on: boolean; change: (on: boolean) => void;
	title?: string }) {
	return (
		<label class="pn-toggle" title={props.title ?? ""}>
			<input type="checkbox" checked={props.on}
				onChange={(event) => props.change(event.currentTarget.checked)} />
			{props.label}
		</label>
	);
}

export function Choice<T extends string>(props: { label: string; value: T; hideLabel?: boolean;
	options: { value: T; text: string }[]; change: (value: T) => void }) {
	return (
		<label class="pn-choice">
			<span class={props.hideLabel ? "pn-hidden" : ""}>{props.label}</span>
			<select class="pn-input" value={props.value}
				onChange={(event) => props.change(event.currentTarget.value as T)}>
				{props.options.map((option) =>
					<option key={option.value} value={option.value}>{option.text}</option>)}
			</select>
		</label>
	);
}

/** Left and right arrows on a list of tabs. */
export function stepTabs(event: KeyboardEvent, at: number, count: number,
	choose: (at: number) => void): void {
	const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
	if (!step) return;
	event.preventDefault();
	choose((at + step + count) % count);
	const list = event.currentTarget as HTMLElement;
	requestAnimationFrame(() => list.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
}

export function Tabs<T extends string>(props: { label: string; value: T;
	tabs: { id: T; title: string }[]; change: (id: T) => void }) {
	const { tabs } = props;
	const at = tabs.findIndex((tab) => tab.id === props.value);
	return (
		<div class="pn-tabs" role="tablist" aria-label={props.label}
			onKeyDown={(event) => stepTabs(event, at, tabs.length, (to) => props.change(tabs[to]!.id))}>
			{tabs.map((tab) => (
				<button key={tab.id} type="button" role="tab" class="pn-tab"
					aria-selected={tab.id === props.value} tabIndex={tab.id === props.value ? 0 : -1}
					onClick={() => props.change(tab.id)}>{tab.title}</button>
			))}
		</div>
	);
}

/** A name and its value; the explanation shows on hover and on focus. */
export function Metric(props: { name: string; value: string; exact?: string; help?: string;
	bar?: number }) {
	return (
		<div class="pn-metric">
			<dt><Explained text={props.name} help={props.help ?? ""} /></dt>
			<dd title={props.exact ?? ""}>
				{props.bar === undefined ? null : <MiniBar fraction={props.bar} />}
				{props.value}
			</dd>
		</div>
	);
}

/** A text with a tooltip. */
export function Explained(props: { text: string; help: string }) {
	const [at, setAt] = useState<{ left: string; top: string } | null>(null);
	if (!props.help) return <>{props.text}</>;
	const show = (event: Event) => {
		// Fixed to the window, because scrolling parents would clip it.
		const edge = (event.currentTarget as HTMLElement).getBoundingClientRect();
		const below = edge.bottom + 4 + TIP_HEIGHT < innerHeight;
		setAt({ left: `${Math.max(4, Math.min(edge.left, innerWidth - TIP_WIDTH - 8))}px`,
			top: below ? `${edge.bottom + 4}px` : `${Math.max(4, edge.top - TIP_HEIGHT - 4)}px` });
	};
	const hide = () => setAt(null);
	return (
		<span class="pn-explained" tabIndex={0} onMouseEnter={show} onMouseLeave={hide} onFocus={show}
			onBlur={hide}>
			{props.text}
			<span class={at ? "pn-tip" : "pn-hidden"} role="tooltip" style={at ?? {}}>{props.help}</span>
		</span>
	);
}

const TIP_WIDTH = 300;
const TIP_HEIGHT = 72; // of most tooltips

export function MiniBar(props: { fraction: number }) {
	const part = Math.max(0, Math.min(1, props.fraction || 0));
	return (
		<svg class="pn-minibar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
			<rect class="pn-minibar-back" width="100" height="6" />
			<rect class="pn-minibar-front" width={part * 100} height="6" />
		</svg>
	);
}

export function CopyIcon() {
	return (
		<svg class="pn-icon" viewBox="0 0 16 16" aria-hidden="true">
			<path d="M5.5 5.5h7v8h-7z M3.5 10.5v-8h7" fill="none" stroke="currentColor"
				stroke-width="1.2" />
		</svg>
	);
}

export async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false; // browsers allow it only for https and localhost
	}
}

/** Copies a text and notifies the user, with `done` if it worked. */
export async function copyAndNotify(context: ProfileContext, text: string,
	done: string): Promise<void> {
	if (await copyText(text)) context.notify(done);
	else context.notify("The browser does not allow copying here.", "error");
}

/** Scrolls a table so that the row at `at` is visible below the titles. */
export function scrollToRow(table: HTMLElement | null, at: number, rowPx: number): void {
	if (!table) return;
	const room = table.clientHeight - rowPx;
	if (at * rowPx < table.scrollTop) table.scrollTop = at * rowPx;
	else if ((at + 1) * rowPx > table.scrollTop + room) table.scrollTop = (at + 1) * rowPx - room;
}

/** Saves a text as a file. */
export function download(name: string, text: string, type = "text/plain"): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([text], { type }));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function ShowAll({ context }: { context: ProfileContext }) {
	const show = () => {
		const all = wholeView(context.endNs);
		context.beforeJump(all);
		context.view.set(all);
	};
	return <Button onClick={show}>Show all</Button>;
}
