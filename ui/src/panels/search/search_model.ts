// SPDX-License-Identifier: Apache-2.0
// Conditions of a search: as people enter them, as docs/api.md takes them, and as SQL for the
// statistics. Pure.

import { escapeRegex, sqlName, sqlText } from "../parts/data.ts";

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

/** What the server takes, as somebody might have entered it. */
export function conditionOf(where: string): Condition {
	const [, field = "", operator = "=", value = ""] = /^(\w+)(!=|<=|>=|=|<|>|~)(.*)$/s.exec(where)
		?? [];
	return { field, operator: operator === "~" ? "matches" : operator as Operator, value };
}

/** The same in SQL. */
export function sqlOf(condition: Condition): string {
	const [, field = "", operator = "", value = ""] =
		/^(\w+)(!=|<=|>=|=|<|>|~)(.*)$/s.exec(whereOf(condition)) ?? [];
	const column = sqlName(field);
	if (operator === "~") return `regexp_matches(CAST(${column} AS VARCHAR), ${sqlText(value)})`;
	const isNumber = /^-?\d+(\.\d+)?$/.test(value);
	if (operator === "=" || operator === "!=")
		return `CAST(${column} AS VARCHAR) ${operator} ${sqlText(value)}`;
	return `${column} ${operator} ${isNumber ? value : sqlText(value)}`;
}

export function whereClause(conditions: Condition[], more: string[] = []): string {
	const parts = [...conditions.filter(isComplete).map(sqlOf), ...more];
	return parts.length ? ` WHERE ${parts.join(" AND ")}` : "";
}

/** How often each value of a field occurs among what was found, and how much time it takes. */
export function statisticsSql(table: string, field: string, conditions: Condition[],
	hasDuration: boolean): string {
	const time = hasDuration ? "sum(duration_ns) AS total_ns, avg(duration_ns) AS average_ns"
		: "NULL AS total_ns, NULL AS average_ns";
	return `SELECT CAST(${sqlName(field)} AS VARCHAR) AS value, count(*) AS n, ${time} ` +
		`FROM ${sqlName(table)}${whereClause(conditions)} GROUP BY 1 ORDER BY n DESC, value`;
}

/** Values that begin or contain what was typed, the frequent ones first. */
export function suggestionsSql(table: string, field: string, typed: string): string {
	const column = `CAST(${sqlName(field)} AS VARCHAR)`;
	const filter = typed && regexOf(typed) === null && !typed.startsWith("/")
		? ` AND contains(lower(${column}), ${sqlText(typed.toLowerCase())})` : "";
	return `SELECT ${column} AS value, count(*) AS n FROM ${sqlName(table)} ` +
		`WHERE ${sqlName(field)} IS NOT NULL${filter} GROUP BY 1 ORDER BY n DESC, value LIMIT 40`;
}

/** The fields people look for first, before the rest in alphabetical order. */
export function orderFields(names: string[]): string[] {
	const first = ["opcode", "name", "variable", "engine", "queue_name", "operation", "layer",
		"hlo_name",
		"operands", "nki_source_location", "duration_ns"];
	const known = first.filter((name) => names.includes(name));
	return [...known, ...names.filter((name) => !known.includes(name)).sort()];
}
