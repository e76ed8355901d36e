// SPDX-License-Identifier: Apache-2.0
// The ranks of one run: a tab with a timeline for each rank, all with the same time range, and a
// table that compares them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError } from "../../api/client.ts";
import type { Rank } from "../../api/types.ts";
import { loadContext } from "../../context.ts";
import type { ProfileContext, View } from "../../contract.ts";
import { EventDetailsPanel } from "../../panels/events/event_details.tsx";
import { stepTabs } from "../../panels/parts/parts.tsx";
import { server } from "../../server.ts";
import { CutName } from "../../shell/cut_name.tsx";
import { ErrorBoundary } from "../../shell/error_boundary.tsx";
import { Link } from "../../shell/link.tsx";
import { notify } from "../../shell/toasts.tsx";
import { TopBar } from "../../shell/topbar.tsx";
import { pluralText } from "../../shell/words.ts";
import { moves, navigate, route } from "../../state/navigate.ts";
import { Address } from "../../state/address.ts";
import { wholeView } from "../../state/home.ts";
import { stateOf } from "../../state/url.ts";
import { clampView } from "../../state/view.ts";
import { createStore, type Store } from "../../store.ts";
import { Timeline } from "../../timeline/timeline.tsx";
import { NoProfile, ProfileLoading } from "../profile/states.tsx";
import { CompareRanks } from "./compare.tsx";
import { clockText, rankTitles } from "./ranks_model.ts";
import "./ranks.css";

/** Ranks that ran another model in the same capture. */
interface OtherRun {
	profile: string; // one of its ranks
	count: number;
}

interface Run {
	ranks: Rank[];
	others: OtherRun[];
	clock: string; // what they are aligned by
	time: { view: Store<View>; endNs: number };
}

const MOST_MODELS = 16;

/** The other models of the capture that the ranks belong to. */
async function otherRuns(ranks: Rank[], signal: AbortSignal): Promise<OtherRun[]> {
	const { parent } = await server.profile(ranks[0]!.profile, signal);
	if (parent === null) return [];
	const { devices } = await server.profile(parent, signal);
	const left = new Set(devices.flatMap(({ profile }) => profile ?? []));
	const others: OtherRun[] = [];
	for (const { profile } of ranks) left.delete(profile);
	while (left.size && others.length < MOST_MODELS) {
		const [profile] = left;
		const found = await server.ranks(profile!, signal);
		for (const one of found.ranks) left.delete(one.profile);
		left.delete(profile!);
		others.push({ profile: found.ranks[0]?.profile ?? profile!, count: found.ranks.length });
	}
	return others;
}

async function openRun(name: string, signal: AbortSignal): Promise<Run> {
	const { ranks, aligned_by } = await server.ranks(name, signal);
	const others = await otherRuns(ranks, signal).catch(() => []); // the ranks are enough
	const details = await Promise.all(ranks.map(({ profile }) => server.profile(profile, signal)));
	const endNs = Math.max(1,
		...details.map((one, i) =>
			Number(BigInt(one.to_ns) - BigInt(one.from_ns)) + ranks[i]!.offset_ns));
	const { view } = stateOf(location.search);
	return { ranks, others, clock: aligned_by, time: { endNs,
		view: createStore<View>(view ? clampView(view, endNs) : wholeView(endNs)) } };
}

/** The rank that the URL names, else the first. */
function rankOfUrl(ranks: Rank[]): number {
	const wanted = new URLSearchParams(location.search).get("rank");
	return Math.max(0, ranks.findIndex(({ rank, profile }) =>
		wanted === String(rank) || wanted === profile));
}

function queryOf({ ranks, time }: Run, shown: number, goal?: View): string {
	const { fromNs, toNs } = goal ?? time.view.get();
	const { rank, profile } = ranks[shown]!;
	const query = new URLSearchParams({ rank: rank === null ? profile : String(rank) });
	if (fromNs > 0 || toNs < time.endNs) {
		query.set("from", fromNs.toFixed(3));
		query.set("to", toNs.toFixed(3));
	}
	return `?${query}`;
}

/** Keeps the URL in sync. */
function useUrl(run: Run, shown: number, show: (index: number) => void): Address<View> {
	const now = useRef(shown);
	now.current = shown;
	const address = useMemo(() => new Address<View>((goal) => queryOf(run, now.current, goal)),
		[run]);
	useEffect(() => address.write(), [address, shown]);
	useEffect(() => {
		const stopView = run.time.view.watch(() => address.soon());
		const stopMoves = moves.watch(() => {
			if (route.get().page !== "ranks") return; // leaving the page
			const { view } = stateOf(location.search);
			const { endNs } = run.time;
			run.time.view.set(view ? clampView(view, endNs) : wholeView(endNs));
			show(rankOfUrl(run.ranks));
			address.forget();
		});
		return () => {
			stopView();
			stopMoves();
			address.forget();
		};
	}, [run, address]);
	return address;
}

/** The context of a rank. Contexts are kept, with their selection and folded rows. */
function useContext(run: Run, shown: number, address: Address<View>):
ProfileContext | ApiError | null {
	const kept = useMemo(() => new Map<string, ProfileContext>(), [run]);
	const [failure, setFailure] = useState<ApiError | null>(null);
	const [, setCount] = useState(0);
	const { profile, offset_ns } = run.ranks[shown]!;
	useEffect(() => {
		setFailure(null);
		if (kept.has(profile)) return;
		const asking = new AbortController();
		loadContext(server, profile, { ...stateOf(""), view: run.time.view.get() }, {
			openPanel: () => undefined, // all panels are open already
			openProfile: (other) => navigate({ page: "analysis", profile: other }),
			notify,
			beforeJump: (to) => address.beforeJump(to),
			writeLink: () => address.write(),
		}, asking.signal, { ...run.time, offsetNs: offset_ns }).then((context) => {
			kept.set(profile, context);
			setCount((now) => now + 1);
		}, (reason: unknown) => asking.signal.aborted ||
			setFailure(reason instanceof ApiError ? reason : new ApiError(0, String(reason))));
		return () => asking.abort();
	}, [run, profile]);
	return kept.get(profile) ?? failure;
}

function Ranks({ run }: { run: Run }) {
	const [shown, setShown] = useState(() => rankOfUrl(run.ranks));
	const context = useContext(run, shown, useUrl(run, shown, setShown));
	const { profile } = run.ranks[shown]!;
	const titles = rankTitles(run.ranks);
	const title = titles[shown]!;
	return (
		<div class="rk">
			<div class="rk-bar">
				<div class="rk-tabs" role="tablist" aria-label="Ranks"
					onKeyDown={(event) => stepTabs(event, shown, run.ranks.length, setShown)}>
					{run.ranks.map((rank, i) => (
						<button key={rank.profile} type="button" role="tab" class="rk-tab" title={rank.profile}
							aria-selected={i === shown} tabIndex={i === shown ? 0 : -1}
							aria-controls="rk-timeline" onClick={() => setShown(i)}><CutName
								name={titles[i]!} /></button>
					))}
				</div>
				{run.others.map((other) => (
					<Link key={other.profile} class="rk-open" to={{ page: "ranks", profile: other.profile }}
						title={`The capture has another model: ${other.profile} and its ranks`}>
						Another model ({pluralText(other.count, "rank")})</Link>
				))}
				<Link class="rk-open" to={{ page: "analysis", profile }}>Open {title} alone</Link>
			</div>
			<div class="rk-timeline" id="rk-timeline" role="tabpanel" aria-label={title}>
				{context instanceof ApiError
					? <NoProfile name={profile} failure={context} onRetry={() => location.reload()} />
					: context ? <ErrorBoundary key={profile} what="The timeline">
						<Timeline context={context} /></ErrorBoundary>
						: <ProfileLoading name={profile} />}
			</div>
			<div class="rk-below">
				<CompareRanks ranks={run.ranks} isAligned={run.clock !== "none"}
					shown={shown} onShow={setShown} />
				{context && !(context instanceof ApiError) &&
					<EventDetailsPanel key={profile} context={context} />}
			</div>
		</div>
	);
}

export function RanksPage({ name }: { name: string }) {
	const [run, setRun] = useState<Run | null>(null);
	const [failure, setFailure] = useState<ApiError | null>(null);
	const [attempt, setAttempt] = useState(0);
	useEffect(() => {
		const asking = new AbortController();
		setRun(null);
		setFailure(null);
		document.title = `${name}, all ranks · Neuron Explorer`;
		openRun(name, asking.signal).then(setRun, (reason: unknown) => {
			if (!asking.signal.aborted)
				setFailure(reason instanceof ApiError ? reason : new ApiError(0, String(reason)));
		});
		return () => asking.abort();
	}, [name, attempt]);
	return (
		<>
			<TopBar>
				<h1>{name}</h1>
				{run && <span class="ui-dim" title={clockText(run.clock).help}>{run.ranks.length}{" "}
					{run.ranks.length === 1 ? "rank" : `ranks, ${clockText(run.clock).title}`}</span>}
			</TopBar>
			<main class="app-main">
				{failure ? <NoProfile name={name} failure={failure}
					onRetry={() => setAttempt(attempt + 1)} />
					: run ? <Ranks run={run} /> : <ProfileLoading name={name} />}
			</main>
		</>
	);
}
