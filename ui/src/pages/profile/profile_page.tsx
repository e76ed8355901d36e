// SPDX-License-Identifier: Apache-2.0
// The pages of one profile: Analysis (timeline and panels in a dock) and Summary. Both share one
// context, so switching between them keeps the selection.

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../api/client.ts";
import type { PanelKind, ProfileContext } from "../../contract.ts";
import { loadContext } from "../../context.ts";
import { Dock } from "../../dock/dock.tsx";
import * as model from "../../dock/model.ts";
import { firstDock, rememberDock, TIMELINE } from "../../dock/saved.ts";
import { dockText, parseDock } from "../../dock/text.ts";
import { panels } from "../../panels/panels.ts";
import { server } from "../../server.ts";
import { cutText } from "../../shell/cut.ts";
import { ErrorBoundary } from "../../shell/error_boundary.tsx";
import { isFocused, toggleFocus } from "../../shell/focus.tsx";
import { addHelp } from "../../shell/help.tsx";
import { Icon } from "../../shell/icons.tsx";
import { listenToKeys } from "../../shell/keys.ts";
import { Link } from "../../shell/link.tsx";
import { SimulatedBadge } from "../../shell/simulated.tsx";
import { notify } from "../../shell/toasts.tsx";
import { TopBar } from "../../shell/topbar.tsx";
import { moves, navigate, route } from "../../state/navigate.ts";
import { UrlSync } from "../../state/sync.ts";
import { stateOf } from "../../state/url.ts";
import { createStore, useStore, type Store } from "../../store.ts";
import { SHORTCUTS } from "../../timeline/keys.ts";
import { Timeline } from "../../timeline/timeline.tsx";
import { SummaryPage } from "../summary/summary.tsx";
import { AllRanks, ProfileName, ParentLink } from "./info.tsx";
import { AddPanel } from "./add_panel.tsx";
import { LayoutMenu } from "./layout_menu.tsx";
import { NoProfile, ProfileLoading } from "./states.tsx";

const TITLE_MOST = 32; // characters
const timelineKind: PanelKind = {
	id: TIMELINE, title: "Timeline", kinds: ["device", "system"], component: Timeline,
};

for (const { title, keys } of SHORTCUTS)
	addHelp({ title: `Timeline: ${title.toLowerCase()}`, keys });

interface Page {
	context: ProfileContext;
	kinds: PanelKind[];
	dock: Store<model.Dock>;
	sync: UrlSync;
}

/** A store with the dock's text, for the URL. */
function textStore(dock: Store<model.Dock>, kinds: PanelKind[]): Store<string> {
	const text = createStore(dockText(dock.get()));
	dock.watch((now) => text.set(dockText(now)));
	text.watch((now) => {
		if (now === dockText(dock.get())) return;
		const next = parseDock(now);
		if (next) dock.set(model.keepKnown(next, (panel) => kinds.some((kind) => kind.id === panel)));
	});
	return text;
}

async function openPage(name: string, signal: AbortSignal): Promise<Page> {
	const state = stateOf(location.search);
	let page: Page | undefined;
	const context = await loadContext(server, name, state, {
		openPanel: (id) => {
			if (page?.kinds.some((kind) => kind.id === id)) page.dock.update((now) => model.add(now, id));
		},
		openProfile: (profile) => navigate({ page: "analysis", profile }),
		notify,
		beforeJump: (to) => page?.sync.beforeJump(to),
		writeLink: () => page?.sync.write(),
	}, signal);
	const { kind } = context.details;
	const kinds = [timelineKind, ...panels.filter((panel) => panel.kinds.includes(kind))];
	const dock = createStore(firstDock(state.dock, kind, kinds, window));
	dock.watch((now) => rememberDock(kind, now));
	page = { context, kinds, dock, sync: new UrlSync(context, textStore(dock, kinds)) };
	return page;
}

function Analysis({ page, isAdding, setAdding }:
	{ page: Page; isAdding: boolean; setAdding: (isOpen: boolean) => void }) {
	const { sync } = page;
	useEffect(() => {
		sync.start();
		return () => sync.stop();
	}, [page]);
	useEffect(() => listenToKeys({ i: () => setAdding(true) }), []);
	return (
		<>
			<Dock store={page.dock} kinds={page.kinds} context={page.context}
				onAdd={() => setAdding(true)} />
			{isAdding && <AddPanel store={page.dock} kinds={page.kinds}
				onClose={() => setAdding(false)} />}
		</>
	);
}

export function ProfilePage({ name, isSummary }: { name: string; isSummary: boolean }) {
	const [page, setPage] = useState<Page | null>(null);
	const [failure, setFailure] = useState<ApiError | null>(null);
	const [attempt, setAttempt] = useState(0);
	const [isAdding, setAdding] = useState(false);
	const focused = useStore(isFocused);
	useEffect(() => {
		const asking = new AbortController();
		setPage(null);
		setFailure(null);
		document.title = `${cutText(name, TITLE_MOST)} · Neuron Explorer`;
		openPage(name, asking.signal).then(setPage, (reason: unknown) => {
			if (asking.signal.aborted) return;
			setFailure(reason instanceof ApiError ? reason : new ApiError(0, String(reason)));
		});
		return () => asking.abort();
	}, [name, attempt]);
	// Not in Analysis, because Back may lead from the summary to the analysis.
	useEffect(() => page ? moves.watch(() => {
		const now = route.get();
		if (now.page === "analysis" && now.profile === page.context.name) page.sync.read();
	}) : undefined, [page]);
	return (
		<>
			{!focused && (
				<TopBar actions={page && !isSummary && (<>
					<button type="button" class="ui-button is-primary" onClick={() => setAdding(true)}
						title="Add panel (I)"><Icon name="add" size={14} /> Add panel</button>
					<LayoutMenu store={page.dock} kinds={page.kinds} />
					<button type="button" class="ui-icon-button" onClick={toggleFocus} aria-label="Focus mode"
						title="Focus mode (.)"><Icon name="focus" /></button>
				</>)}>
					{page && <ParentLink parent={page.context.details.parent} />}
					<ProfileName name={name} details={page?.context.details ?? null} />
					{page && <SimulatedBadge of={page.context.details} />}
					<nav class="top-tabs" aria-label="Pages of this profile">
						<Link class="top-tab" to={{ page: "analysis", profile: name }}
							aria-current={isSummary ? undefined : "page"}>Analysis</Link>
						<Link class="top-tab" to={{ page: "summary", profile: name }}
							aria-current={isSummary ? "page" : undefined}>Summary</Link>
						<AllRanks profile={name} />
					</nav>
				</TopBar>
			)}
			<main class="app-main">
				{failure ? <NoProfile name={name} failure={failure}
					onRetry={() => setAttempt(attempt + 1)} />
					: !page ? <ProfileLoading name={name} />
						: isSummary
							? <ErrorBoundary what="The summary">
								<div class="app-scroll"><SummaryPage context={page.context}
									/></div></ErrorBoundary>
							: <Analysis page={page} isAdding={isAdding} setAdding={setAdding} />}
			</main>
		</>
	);
}
