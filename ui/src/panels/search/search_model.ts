// SPDX-License-Identifier: Apache-2.0
// Search conditions: as entered, and as docs/api.md expects them. Pure.

import { escapeRegex } from "../parts/data.ts";

export type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "matches";

export interface Condition {
	field: string;
	operator: Operator;
	value: string;
}

export const OPERATORS: { value: Operator; text: string }[] = [
	{ value: "=", text: "is" }, { value: "!=", text: "is not" }, { value: "contains",
		text: "contains" },
	{ value: "matches", text: "matches" }, { value: "<", text: "<" }, { value: "<=", text: "≤" },
	{ value: ">", text: ">" }, { value: ">=", text: "≥" },
];

/** A value between slashes is a regular expression whatever the operator says. */
export function regexOf(value: string): string | null {
	const match = /^\/(.*)\/(i?)$/s.exec(value.trim());
	if (!match || !match[1]) return null;
	return match[2] ? `(?i)${match[1]}` : match[1];
}

export const isComplete = (condition: Condition): boolean =>
	condition.field !== "" && condition.value !== "";

/** As the server takes it: COLUMN OPERATOR VALUE. */
export function whereOf(condition: Condition): string {
	const { field, operator, value } = condition;
	const regex = regexOf(value);
	if (regex !== null) return `${field}~${regex}`;
	if (operator === "matches") return `${field}~${value}`;
	if (operator === "contains") return `${field}~(?i)${escapeRegex(value)}`;
	return `${field}${operator}${value}`;
}

/** The server's conditions as they could have been entered. */
export function conditionOf(where: string): Condition {
	const [, field = "", operator = "=", value = ""] = /^(\w+)(!=|<=|>=|=|<|>|~)(.*)$/s.exec(where)
		?? [];
	return { field, operator: operator === "~" ? "matches" : operator as Operator, value };
}

/** The fields people look for first, before the rest in alphabetical order. */
export function orderFields(names: string[]): string[] {
	const first = ["opcode", "name", "variable", "engine", "queue_name", "operation", "layer",
		"hlo_name", "operands", "nki_source_location", "duration_ns"];
	const known = first.filter((name) => names.includes(name));
	return [...known, ...names.filter((name) => !known.includes(name)).sort()];
}
