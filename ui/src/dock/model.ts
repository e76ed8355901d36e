// SPDX-License-Identifier: Apache-2.0
// A layout of panels: a tree of splits whose leaves are groups of tabs. Every change returns a new
// tree. A panel occurs at most once, so any of its panels identifies a group; a split is identified
// by its path from the root.

export interface Group {
	kind: "group";
	panels: string[]; // at least one
	active: string;
}

export interface Split {
	kind: "split";
	direction: "row" | "column";
	children: DockNode[]; // at least two, none a split of the same direction
	weights: number[]; // of the children; their sum is 1
}

export type DockNode = Group | Split;

export interface Dock {
	root: DockNode | null;
	maximised: string | null; // a panel whose group fills the dock
}

export type Edge = "left" | "right" | "top" | "bottom";

/** Where a panel can go: among the tabs of a group, beside a group, or at an edge of the dock. */
export type Target =
	| { into: string; index?: number }
	| { beside: string; edge: Edge }
	| { edge: Edge };

export const group = (panels: string[], active = panels[0]!): Group =>
	({ kind: "group", panels, active });

export function split(direction: Split["direction"], children: DockNode[],
	weights: number[] = children.map(() => 1)): Split {
	const sum = weights.reduce((total, weight) => total + weight, 0);
	return { kind: "split", direction, children, weights: weights.map((weight) => weight / sum) };
}

export function panelsOf(node: DockNode | null): string[] {
	if (!node) return [];
	return node.kind === "group" ? node.panels : node.children.flatMap(panelsOf);
}

export function groupsOf(node: DockNode | null): Group[] {
	if (!node) return [];
	return node.kind === "group" ? [node] : node.children.flatMap(groupsOf);
}

export const groupOf = (dock: Dock, panel: string): Group | undefined =>
	groupsOf(dock.root).find((one) => one.panels.includes(panel));

/** Maps every group; null removes it. Merges nested splits of the same direction. */
function mapGroups(node: DockNode | null, change: (group: Group) => DockNode | null): DockNode |
	null {
	if (!node) return null;
	if (node.kind === "group") return change(node);
	const children: DockNode[] = [];
	const weights: number[] = [];
	node.children.forEach((child, idx) => {
		const next = mapGroups(child, change);
		const weight = node.weights[idx]!;
		if (!next) return;
		if (next.kind === "split" && next.direction === node.direction) {
			children.push(...next.children);
			weights.push(...next.weights.map((part) => part * weight));
		} else {
			children.push(next);
			weights.push(weight);
		}
	});
	if (children.length < 2) return children[0] ?? null;
	return split(node.direction, children, weights);
}

function without(node: DockNode | null, panel: string): DockNode | null {
	return mapGroups(node, (one) => {
		const at = one.panels.indexOf(panel);
		if (at < 0) return one;
		const panels = one.panels.filter((other) => other !== panel);
		if (!panels.length) return null;
		const active = one.active === panel ? panels[Math.min(at, panels.length - 1)]! : one.active;
		return group(panels, active);
	});
}

function beside(node: DockNode, added: DockNode, edge: Edge, share: number): Split {
	const direction = edge === "left" || edge === "right" ? "row" : "column";
	const isFirst = edge === "left" || edge === "top";
	return split(direction, isFirst ? [added, node] : [node, added],
		isFirst ? [share, 1 - share] : [1 - share, share]);
}

export function activate(dock: Dock, panel: string): Dock {
	const root = mapGroups(dock.root, (one) =>
		one.panels.includes(panel) ? group(one.panels, panel) : one);
	const isHidden = dock.maximised !== null &&
		!groupOf(dock, dock.maximised)?.panels.includes(panel);
	return { root, maximised: isHidden ? null : dock.maximised && panel };
}

export function close(dock: Dock, panel: string): Dock {
	const root = without(dock.root, panel);
	if (dock.maximised !== panel) return { root, maximised: dock.maximised };
	const next = groupOf(dock, panel)?.panels.length === 1 ? null
		: groupOf({ root, maximised: null },
		groupOf(dock, panel)!.panels.find((other) => other !== panel)!)!.active;
	return { root, maximised: next };
}

/** Puts a new or existing panel at the target and shows it. */
export function place(dock: Dock, panel: string, target: Target): Dock {
	const before = groupOf(dock, panel);
	if ("beside" in target && target.beside === panel && before?.panels.length === 1) return dock;
	if ("into" in target && target.into === panel) {
		if (!before || target.index === undefined) return dock;
		return { ...dock, root: mapGroups(dock.root, (one) => one === before
			? group(inserted(one.panels, panel, target.index), panel) : one) };
	}
	// The moved panel can no longer identify its old group.
	const anchorOf = (name: string) =>
		name === panel ? before?.panels.find((other) => other !== panel) ?? name : name;
	const rest = without(dock.root, panel);
	if (!rest) return { root: group([panel]), maximised: null };
	if (!("into" in target) && !("beside" in target))
		return { root: tidy(beside(rest, group([panel]), target.edge, 0.3)), maximised: null };
	const anchor = anchorOf("into" in target ? target.into : target.beside);
	if (!groupOf({ root: rest, maximised: null }, anchor)) return add(dock, panel);
	const root = mapGroups(rest, (one) => {
		if (!one.panels.includes(anchor)) return one;
		return "into" in target ? group(inserted(one.panels, panel, target.index), panel)
			: beside(one, group([panel]), target.edge, 0.5);
	});
	return { root: tidy(root), maximised: null };
}

/** Index counts the gaps between the tabs, the panel's own included if it is among them. */
function inserted(panels: string[], panel: string, index = panels.length): string[] {
	const at = panels.indexOf(panel);
	const rest = panels.filter((other) => other !== panel);
	rest.splice(at >= 0 && at < index ? index - 1 : index, 0, panel);
	return rest;
}

const tidy = (node: DockNode | null): DockNode | null => mapGroups(node, (one) => one);

/** Shows a panel; if it is not open, adds it to the group with the most tabs. */
export function add(dock: Dock, panel: string): Dock {
	if (groupOf(dock, panel)) return activate(dock, panel);
	const groups = groupsOf(dock.root);
	if (!groups.length) return { root: group([panel]), maximised: null };
	const biggest = groups.reduce((best, one) => one.panels.length >= best.panels.length ?
		one : best);
	// A single panel (usually the timeline) keeps its group; the new one goes below it.
	if (groups.length === 1 && biggest.panels.length === 1)
		return place(dock, panel, { beside: biggest.active, edge: "bottom" });
	return place({ ...dock, maximised: null }, panel, { into: biggest.active });
}

export const toggleMaximised = (dock: Dock, panel: string): Dock =>
	dock.maximised ? { ...dock, maximised: null } : { ...activate(dock, panel), maximised: panel };

function nodeAt(node: DockNode | null, path: number[]): DockNode | null {
	let at = node;
	for (const idx of path) at = at?.kind === "split" ? at.children[idx] ?? null : null;
	return at;
}

/**
 * Moves the gutter after child `idx` by a fraction of the split; no child gets less than `least`.
 */
export function resize(dock: Dock, path: number[], idx: number, by: number, least: number): Dock {
	const change = (node: DockNode, rest: number[]): DockNode => {
		if (node.kind !== "split") return node;
		const [next, ...deeper] = rest;
		if (next !== undefined)
			return { ...node, children: node.children.map((child, at) =>
				at === next ? change(child, deeper) : child) };
		const both = node.weights[idx]! + node.weights[idx + 1]!;
		const low = Math.min(least, both / 2);
		const first = Math.min(both - low, Math.max(low, node.weights[idx]! + by));
		return { ...node, weights: node.weights.map((weight, at) =>
			at === idx ? first : at === idx + 1 ? both - first : weight) };
	};
	return dock.root ? { ...dock, root: change(dock.root, path) } : dock;
}

/** Gives the two children at a gutter the same size. */
export function halve(dock: Dock, path: number[], idx: number): Dock {
	const node = nodeAt(dock.root, path);
	if (node?.kind !== "split") return dock;
	return resize(dock, path, idx, (node.weights[idx + 1]! - node.weights[idx]!) / 2, 0);
}

/** Removes unknown panels: from other versions, or for another kind of profile. */
export function keepKnown(dock: Dock, isKnown: (panel: string) => boolean): Dock {
	let next = dock;
	for (const panel of panelsOf(dock.root)) if (!isKnown(panel)) next = close(next, panel);
	return next;
}
