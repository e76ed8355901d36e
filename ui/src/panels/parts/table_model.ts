// SPDX-License-Identifier: Apache-2.0
// The model of a data table: filter, order, column widths, export.

import type { Cell } from "../../api/types.ts";
import { formatCell } from "../../format.ts";

export interface TableColumn {
	name: string; // unique in its table
	title?: string;
	unit?: string;
	help?: string;
	width?: number;
	align?: "left" | "right"; // default: right for numbers
}

export interface Order {
	column: number;
	down: boolean;
}

const isDecimal = (text: string) => /^-?\d+$/.test(text);

/** Compares numbers (also in strings) by value, others as texts; missing values come last. */
export function compareCells(a: Cell | undefined, b: Cell | undefined): number {
	const missingA = a === null || a === undefined || a === "";
	const missingB = b === null || b === undefined || b === "";
	if (missingA || missingB) return missingA && missingB ? 0 : missingA ? 1 : -1;
	if (typeof a === "number" && typeof b === "number") return a - b;
	const textA = String(a);
	const textB = String(b);
	if (isDecimal(textA) && isDecimal(textB)) {
		const difference = BigInt(textA) - BigInt(textB);
		return difference < 0n ? -1 : difference > 0n ? 1 : 0;
	}
	const numberA = Number(textA);
	const numberB = Number(textB);
	if (!Number.isNaN(numberA) && !Number.isNaN(numberB)) return numberA - numberB;
	return textA < textB ? -1 : textA > textB ? 1 : 0;
}

/** Indices of the rows that contain every word of the filter, in the requested order. */
export function arrange(rows: Cell[][], columns: TableColumn[], filter: string,
	order: Order | null): number[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	const shown: number[] = [];
	for (let i = 0; i < rows.length; i++) {
		if (words.length) {
			const text = rowText(rows[i] ?? [], columns).toLowerCase();
			if (!words.every((word) => text.includes(word))) continue;
		}
		shown.push(i);
	}
	if (!order) return shown;
	const missing = (cell: Cell | undefined) => cell === null || cell === undefined || cell === "";
	return shown.sort((i, j) => {
		const a = rows[i]?.[order.column];
		const b = rows[j]?.[order.column];
		const result = compareCells(a, b);
		// Missing values stay last in both directions.
		return (order.down && !missing(a) && !missing(b) ? -result : result) || i - j;
	});
}

function rowText(row: Cell[], columns: TableColumn[]): string {
	return row.map((cell, i) => {
		const shown = formatCell(cell, columns[i]?.unit);
		return typeof cell === "string" || cell === null ? shown : `${shown} ${String(cell)}`;
	}).join("\u0001");
}

/** A click on a title cycles through descending, ascending and unsorted. */
export function nextOrder(now: Order | null, column: number): Order | null {
	if (!now || now.column !== column) return { column, down: true };
	return now.down ? { column, down: false } : null;
}

const CHARACTER = 7.2; // pixels, in the widest common system font
const PADDING = 22;

/** Column widths that fit titles and the first rows, within limits. */
export function fitWidths(columns: TableColumn[], rows: Cell[][]): number[] {
	return columns.map((column, i) => {
		if (column.width) return column.width;
		let longest = (column.title ?? column.name).length + 2;
		for (const row of rows.slice(0, 100))
			longest = Math.max(longest, formatCell(row[i], column.unit).length);
		return Math.round(Math.min(320, Math.max(56, longest * CHARACTER + PADDING)));
	});
}

/** Whether the first values of a column are numbers. */
export function isNumeric(rows: Cell[][], column: number): boolean {
	let seen = 0;
	for (const row of rows) {
		const cell = row[column];
		if (cell === null || cell === undefined) continue;
		if (typeof cell !== "number" && !(typeof cell === "string" && isDecimal(cell))) return false;
		if (++seen === 20) break;
	}
	return seen > 0;
}

const plain = (cell: Cell | undefined): string =>
	cell === null || cell === undefined ? ""
		: Array.isArray(cell) ? cell.map(plain).join(",") : String(cell);

/** Raw values for spreadsheets; tabs and line breaks become spaces. */
export function toTsv(columns: TableColumn[], rows: Cell[][], which: number[]): string {
	const lines = [columns.map((column) => column.name).join("\t")];
	for (const i of which)
		lines.push((rows[i] ?? []).map((cell) => plain(cell).replace(/[\t\r\n]+/g, " ")).join("\t"));
	return lines.join("\n");
}

export function toCsv(columns: { name: string }[], rows: Cell[][]): string {
	const quote = (text: string) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	return [columns.map((column) => quote(column.name)), ...rows.map((row) =>
		row.map((cell) => quote(plain(cell))))].map((line) => line.join(",")).join("\r\n") + "\r\n";
}

/** The range of rows to render, of `count` rows of equal height. */
export function visibleRange(count: number, rowHeight: number, top: number,
	height: number): [number, number] {
	const first = Math.max(0, Math.floor(top / rowHeight) - 8);
	return [Math.min(first, count), Math.min(count, Math.ceil((top + height) / rowHeight) + 8)];
}

