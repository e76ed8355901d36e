// SPDX-License-Identifier: Apache-2.0
// The ranks of a run as tables: one row per rank, or one row per metric.

import { useState } from "preact/hooks";
import type { Column, Rank } from "../../api/types.ts";
import { exactCell, formatCell } from "../../format.ts";
import { namedRows } from "../../panels/parts/data.ts";
import { DataTable } from "../../panels/parts/data_table.tsx";
import { Empty, Loaded, Panel, Tabs } from "../../panels/parts/parts.tsx";
import { useLoad } from "../../panels/parts/use_load.ts";
import { server } from "../../server.ts";
import { collectiveTable, metricTable, rankTable, rankTitles, slowestOf, type RankSummary }
	from "./ranks_model.ts";

interface Summaries {
	ranks: RankSummary[];
	columns: Column[];
}

/** The row of a rank that cannot be read stays empty. */
async function loadSummaries(ranks: Rank[], signal: AbortSignal): Promise<Summaries> {
	const pages = await Promise.all(ranks.map(({ profile }) =>
		server.of(profile).table("Summary", { limit: 1 }, signal).catch(() => null)));
	const titles = rankTitles(ranks);
	return {
		ranks: ranks.map((rank, i) => {
			const page = pages[i];
			return { rank, title: titles[i]!, row: page ? namedRows(page)[0] ?? {} : {} };
		}),
		columns: pages.find((page) => page?.rows.length)?.columns ?? [],
	};
}

const TABS = [{ id: "ranks", title: "By rank" }, { id: "metrics", title: "By metric" },
	{ id: "collectives", title: "By collective" }] as const;
type Tab = typeof TABS[number]["id"];
const MAX_COLLECTIVES = 10_000;

export function CompareRanks({ ranks, isAligned, shown, onShow }: { ranks: Rank[];
	isAligned: boolean; shown: number;
	onShow: (at: number) => void }) {
	const [tab, setTab] = useState<Tab>("ranks");
	const load = useLoad((signal) => loadSummaries(ranks, signal), [ranks]);
	return (
		<Panel label="Comparison of ranks"
			bar={<Tabs label="Comparison" value={tab} tabs={[...TABS]} change={setTab} />}>
			<Loaded load={load} what="the ranks' metrics">{(all) => tab === "ranks"
				? <ByRank all={all} isAligned={isAligned} shown={shown} onShow={onShow} />
				: tab === "metrics" ? <ByMetric all={all} /> : <ByCollective all={all} />}</Loaded>
		</Panel>
	);
}

function ByRank({ all, isAligned, shown, onShow }: { all: Summaries; isAligned: boolean;
	shown: number;
	onShow: (at: number) => void }) {
	const table = rankTable(all.ranks, all.columns, isAligned);
	const slowest = slowestOf(all.ranks);
	return <DataTable label="Ranks" {...table} current={shown} choose={(_, i) => onShow(i)}
		render={(cell, column) => column.name === "rank" && slowest !== null &&
			cell === all.ranks[slowest]?.title
			? <><span>{String(cell)}</span> <span class="rk-slowest">slowest</span></> : null} />;
}

function ByMetric({ all }: { all: Summaries }) {
	const { units, ...table } = metricTable(all.ranks, all.columns);
	const unitOf = (row: unknown[]) => units[table.rows.indexOf(row as never)] ?? "";
	return <DataTable label="Metrics of all ranks" {...table} render={(cell, column, row) => {
		if (column.name === "metric" || column.name === "spread") return null;
		const values = row.slice(2).map(Number);
		const isMost = Number(cell) === Math.max(...values) && Number(cell) !== Math.min(...values);
		return <span class={isMost ? "rk-most" : ""} title={exactCell(cell, unitOf(row))}>
			{formatCell(cell, unitOf(row))}</span>;
	}} />;
}

/** A rank whose collectives cannot be read has none. */
function ByCollective({ all }: { all: Summaries }) {
	const load = useLoad((signal) => Promise.all(all.ranks.map(async ({ rank }) => {
		const page = await server.of(rank.profile)
			.table("CcOp", { limit: MAX_COLLECTIVES }, signal).catch(() => null);
		return page ? namedRows(page) : [];
	})), [all]);
	return (
		<Loaded load={load} what="the collectives">{(ops) => ops.some((own) => own.length)
			? <DataTable label="Collectives of all ranks" {...collectiveTable(all.ranks, ops)} />
			: <Empty title="No collectives">
				The captures record no collective operations, so nothing tells when ranks waited.
			</Empty>}</Loaded>
	);
}
