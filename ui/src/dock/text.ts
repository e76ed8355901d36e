// SPDX-License-Identifier: Apache-2.0
// A layout as a short text, for URLs and saved layouts. Tabs are joined by dots, with a star after
// the active one; a split is v or h with its shares in thousandths:
//
//	v(520~timeline)(480~h(600~operators*.search)(400~details))
//
// A maximised panel follows after an exclamation mark.

import { group, panelsOf, split, type Dock, type DockNode } from "./model.ts";

const ID = /^[A-Za-z0-9_-]+$/;
const DEEPEST = 16;

function nodeText(node: DockNode): string {
	if (node.kind === "group")
		return node.panels.map((panel) =>
			panel === node.active && node.panels.length > 1 ? `${panel}*` : panel).join(".");
	const parts = node.children.map((child, idx) =>
		`(${Math.max(1, Math.round(node.weights[idx]! * 1000))}~${nodeText(child)})`);
	return `${node.direction === "column" ? "v" : "h"}${parts.join("")}`;
}

export function dockText(dock: Dock): string {
	if (!dock.root) return "";
	return nodeText(dock.root) + (dock.maximised ? `!${dock.maximised}` : "");
}

function parseGroup(text: string): DockNode | null {
	let active: string | undefined;
	const panels = text.split(".").map((part) => {
		const name = part.endsWith("*") ? part.slice(0, -1) : part;
		if (part.endsWith("*")) active = name;
		return name;
	});
	return panels.every((panel) => ID.test(panel)) ? group(panels, active) : null;
}

/** The parts between the outermost brackets; null if they are not balanced. */
function brackets(text: string): string[] | null {
	const parts: string[] = [];
	let depth = 0;
	let from = 0;
	for (let at = 0; at < text.length; at++) {
		if (text[at] === "(" && depth++ === 0) from = at + 1;
		else if (text[at] === ")" && --depth === 0) parts.push(text.slice(from, at));
		else if (depth <= 0) return null;
	}
	return depth === 0 ? parts : null;
}

function parseNode(text: string, depth: number): DockNode | null {
	if (depth > DEEPEST) return null;
	if (!/^[hv]\(/.test(text)) return parseGroup(text);
	const parts = brackets(text.slice(1));
	if (!parts || parts.length < 2) return null;
	const children: DockNode[] = [];
	const weights: number[] = [];
	for (const part of parts) {
		const [, weight, rest] = /^(\d{1,4})~(.*)$/.exec(part) ?? [];
		const child = rest === undefined ? null : parseNode(rest, depth + 1);
		if (!child || !Number(weight)) return null;
		children.push(child);
		weights.push(Number(weight));
	}
	return split(text[0] === "v" ? "column" : "row", children, weights);
}

/** Parses a layout; null if the text is not one. */
export function parseDock(text: string): Dock | null {
	if (!text) return null;
	const [tree, maximised, ...more] = text.split("!");
	const root = parseNode(tree!, 0);
	const panels = panelsOf(root);
	if (!root || more.length || new Set(panels).size !== panels.length) return null;
	if (maximised !== undefined && !panels.includes(maximised)) return null;
	return { root, maximised: maximised ?? null };
}
