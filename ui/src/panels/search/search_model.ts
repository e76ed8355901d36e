// SPDX-License-Identifier: Apache-2.0
// Converts search conditions between the form and the server's syntax (docs/api.md).

import { escapeRegex } from "../parts/data.ts";

export type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "matches";

export interface Condition {
	field: string;
	operator: Operator;
	value: string;
}

export const OPERATORS: { value: Operator; text: string }[] = [
	{ value: "=", text: "is" }, { value: "!=", text: "is not" },
	{ value: "contains", text: "contains" }, { value: "matches", text: "matches" },
	{ value: "<", text: "<" }, { value: "<=", text: "≤" },
	{ value: ">", text: ">" }, { value: ">=", text: "≥" },
];

/** A value between slashes is a regular expression, with any operator. */
export function regexOf(value: string): string | null {
	const match = /^\/(.*)\/(i?)$/s.exec(value.trim());
	if (!match || !match[1]) return null;
	return match[2] ? `(?i)${match[1]}` : match[1];
}

export const isComplete = (condition: Condition): boolean =>
	condition.field !== "" && condition.value !== "";

/** In the server's syntax: COLUMN OPERATOR VALUE. */
export function whereOf(condition: Condition): string {
	const { field, operator, value } = condition;
	const regex = regexOf(value);
	if (regex !== null) return `${field}~${regex}`;
	if (operator === "matches") return `${field}~${value}`;
	if (operator === "contains") return `${field}~(?i)${escapeRegex(value)}`;
	return `${field}${operator}${value}`;
}

/** The reverse of whereOf. */
export function conditionOf(where: string): Condition {
	const [, field = "", operator = "=", value = ""] = /^(\w+)(!=|<=|>=|=|<|>|~)(.*)$/s.exec(where)
		?? [];
	return { field, operator: operator === "~" ? "matches" : operator as Operator, value };
}

/** The most used fields, then the others in alphabetical order. */
export function orderFields(names: string[]): string[] {
	const first = ["opcode", "name", "variable", "engine", "queue_name", "operation", "layer",
		"hlo_name", "operands", "nki_source_location", "duration_ns"];
	const known = first.filter((name) => names.includes(name));
	return [...known, ...names.filter((name) => !known.includes(name)).sort()];
}
