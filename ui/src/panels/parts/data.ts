// SPDX-License-Identifier: Apache-2.0
// Helpers for the panels' queries. A table that does not exist gives an empty result, not an error.

import type { Cell, Column, TablePage } from "../../api/types.ts";
import { numberOf, type Parameters, type TableQuery } from "../../api/client.ts";
import type { ProfileContext } from "../../contract.ts";
import { sinceOrigin, titleOf, unitOf } from "../../format.ts";
import type { TableColumn } from "./table_model.ts";

const MOST_ROWS = 10_000; // of one request
const MOST_PAGED = 50_000; // more would make the page slow

export function rowCount(context: ProfileContext, table: string): number {
	const found = context.details.tables.find((one) => one.name === table);
	return found ? Number(found.row_count) : 0;
}

export async function fetchTable(context: ProfileContext, table: string, query: TableQuery = {},
	signal?: AbortSignal): Promise<TablePage> {
	if (!rowCount(context, table)) return { table, total: "0", columns: [], rows: [] };
	return context.api.table(table, { limit: MOST_ROWS, ...query }, signal);
}

/** All rows of a table, page by page, up to MOST_PAGED. */
export async function fetchMany(context: ProfileContext, table: string,
	query: TableQuery): Promise<TablePage> {
	const first = await fetchTable(context, table, query);
	const rows = [...first.rows];
	const wanted = Math.min(MOST_PAGED, Number(first.total));
	while (rows.length < wanted) {
		const next = await fetchTable(context, table, { ...query, offset: rows.length });
		if (!next.rows.length) break;
		rows.push(...next.rows);
	}
	return { ...first, rows };
}

/** Converts columns of the server for a DataTable. */
export function tableColumns(columns: Column[]): TableColumn[] {
	return columns.map(({ name, unit, description }) =>
		({ name, title: titleOf(name), unit: unitOf(name, unit), help: description ?? "" }));
}

export type Row = Record<string, Cell>;

/** Rows as objects. */
export function namedRows(answer: { columns: { name: string }[]; rows: Cell[][] }): Row[] {
	return answer.rows.map((row) =>
		Object.fromEntries(answer.columns.map((column, i) => [column.name, row[i] ?? null])));
}

export async function firstRow(context: ProfileContext, table: string,
	signal?: AbortSignal): Promise<{ columns: Column[]; row: Row } | null> {
	const page = await fetchTable(context, table, { limit: 1 }, signal);
	const row = namedRows(page)[0];
	return row ? { columns: page.columns, row } : null;
}

/** The rows of a named query, as objects. */
export async function query(context: ProfileContext, name: string, parameters: Parameters = {},
	limit = 10_000, signal?: AbortSignal): Promise<Row[]> {
	return namedRows(await context.api.query(name, parameters, limit, signal));
}

export const num = numberOf;
export const text = (cell: Cell | undefined): string =>
	cell === null || cell === undefined ? "" : String(cell);
/** A number, or 0 if there is none. */
export const sum = (cell: Cell | undefined): number => numberOf(cell) || 0;

export const timeOf = (context: ProfileContext, cell: Cell | undefined): number =>
	sinceOrigin(cell, context.originNs);
export const absolute = (context: ProfileContext, ns: number): bigint =>
	context.originNs + BigInt(Math.round(ns));

export const escapeRegex = (value: string): string => value.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
