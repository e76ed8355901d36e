// SPDX-License-Identifier: Apache-2.0
// Menus, and buttons that open one. Arrow keys, Home, End and first letters move; Escape, Tab and a
// click outside close.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

export type MenuEntry =
	| { title: string; run: () => void; icon?: IconName; note?: string; isDanger?: boolean;
		isDisabled?: boolean; isChecked?: boolean }
	| { heading: string }
	| "line";

export interface Place {
	left: number;
	top: number;
	/** Height of the anchor, to open above it if there is no room below. */
	height?: number;
	isRight?: boolean; // `left` is the menu's right edge
}

export function Menu({ entries, place, onClose, label }:
	{ entries: MenuEntry[]; place: Place; onClose: () => void; label: string }) {
	const ref = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const menu = ref.current!;
		const { width, height } = menu.getBoundingClientRect();
		const left = place.isRight ? place.left - width : place.left;
		const isAbove = place.top + height > innerHeight - 8 && place.top > height;
		menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
		menu.style.top = isAbove ? `${place.top - height - (place.height ?? 0) - 8}px`
			: `${Math.max(8, Math.min(place.top, innerHeight - height - 8))}px`;
		const before = document.activeElement as HTMLElement | null;
		menu.querySelector<HTMLElement>("[role^=menuitem]:not(:disabled)")?.focus();
		return () => before?.focus?.();
	}, []);
	useEffect(() => {
		const close = (event: Event) => {
			if (!ref.current?.contains(event.target as Node)) onClose();
		};
		addEventListener("pointerdown", close, true);
		addEventListener("resize", onClose);
		addEventListener("blur", onClose);
		return () => {
			removeEventListener("pointerdown", close, true);
			removeEventListener("resize", onClose);
			removeEventListener("blur", onClose);
		};
	}, []);
	return (
		<div ref={ref} class="ui-menu" role="menu" aria-label={label}
			onKeyDown={(event) => onMenuKey(event, ref.current!, onClose)}>
			{entries.map((entry, idx) => entry === "line"
				? <div key={idx} class="ui-menu-line" role="separator" />
				: "heading" in entry
					? <div key={idx} class="ui-menu-title">{entry.heading}</div>
					: <Item key={idx} entry={entry} onClose={onClose} />)}
		</div>
	);
}

function Item({ entry, onClose }:
	{ entry: Exclude<MenuEntry, "line" | { heading: string }>; onClose: () => void }) {
	const hasCheck = entry.isChecked !== undefined;
	return (
		<button type="button" tabIndex={-1} disabled={entry.isDisabled}
			role={hasCheck ? "menuitemcheckbox" : "menuitem"}
			{...(hasCheck ? { "aria-checked": entry.isChecked } : {})}
			class={`ui-menu-item${entry.isDanger ? " is-danger" : ""}`}
			onClick={() => {
				onClose();
				entry.run();
			}}>
			{hasCheck ? <span class="ui-menu-check">{entry.isChecked && <Icon name="check"
				size={14} />}</span>
				: entry.icon && <Icon name={entry.icon} size={14} />}
			<span>{entry.title}</span>
			{entry.note && <span class="ui-menu-note">{entry.note}</span>}
		</button>
	);
}

function onMenuKey(event: JSX.TargetedKeyboardEvent<HTMLElement>, menu: HTMLElement,
	onClose: () => void): void {
	const items = [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)")];
	const at = items.indexOf(document.activeElement as HTMLElement);
	let next: HTMLElement | undefined;
	if (event.key === "Escape" || event.key === "Tab") onClose();
	else if (event.key === "ArrowDown") next = items[(at + 1) % items.length];
	else if (event.key === "ArrowUp") next = items[(at + items.length - 1) % items.length];
	else if (event.key === "Home") next = items[0];
	else if (event.key === "End") next = items.at(-1);
	else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey) {
		const key = event.key.toLowerCase();
		next = [...items.slice(at + 1), ...items.slice(0, at + 1)]
			.find((item) => item.textContent?.trim().toLowerCase().startsWith(key));
	} else return;
	event.preventDefault();
	event.stopPropagation();
	next?.focus();
}

interface MenuButtonProps {
	label: string;
	entries: () => MenuEntry[];
	class?: string;
	isRight?: boolean;
	onOpen?: () => void;
	children: ComponentChildren;
}

export function MenuButton({ label, entries, class: name = "ui-button", isRight, onOpen,
	children }: MenuButtonProps) {
	const [place, setPlace] = useState<Place | null>(null);
	const open = (button: HTMLElement) => {
		const box = button.getBoundingClientRect();
		onOpen?.();
		setPlace({ left: isRight ? box.right : box.left, top: box.bottom + 4, height: box.height,
			isRight: isRight ?? false });
	};
	return (
		<>
			<button type="button" class={name} aria-haspopup="menu" aria-expanded={!!place}
				aria-label={label} title={label} onClick={(event) => open(event.currentTarget)}
				onKeyDown={(event) => {
					if (event.key !== "ArrowDown") return;
					event.preventDefault();
					open(event.currentTarget);
				}}>{children}</button>
			{place && <Menu entries={entries()} place={place} label={label}
				onClose={() => setPlace(null)} />}
		</>
	);
}
