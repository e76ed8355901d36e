// SPDX-License-Identifier: Apache-2.0
// The frame of every page: sidebar, the page of the route, notifications, help, keys.

import { useEffect, useRef } from "preact/hooks";
import { ManagerPage } from "./pages/manager/manager_page.tsx";
import { ProfilePage } from "./pages/profile/profile_page.tsx";
import { RanksPage } from "./pages/ranks/ranks_page.tsx";
import { ErrorBoundary } from "./shell/error_boundary.tsx";
import { isFocused, LeaveFocus, toggleFocus } from "./shell/focus.tsx";
import { Help, isHelpOpen } from "./shell/help.tsx";
import { listenToKeys } from "./shell/keys.ts";
import { Link } from "./shell/link.tsx";
import { Sidebar, toggleSidebar } from "./shell/sidebar.tsx";
import { toggleTheme } from "./shell/theme.ts";
import { Toasts } from "./shell/toasts.tsx";
import { Tour } from "./shell/tour.tsx";
import { TopBar } from "./shell/topbar.tsx";
import { route } from "./state/navigate.ts";
import type { Route } from "./state/route.ts";
import { useStore } from "./store.ts";
import "./app.css";

function UnknownPage({ path }: { path: string }) {
	return (
		<>
			<TopBar><h1>Neuron Explorer</h1></TopBar>
			<main class="app-main">
				<div class="ui-empty">
					<h1>Page not found</h1>
					<p>There is nothing at <code>/{path}</code>.</p>
					<p class="ui-dim">Profiles are at <code>/profile/NAME</code>,
						their summaries at <code>/profile/NAME/summary</code>.</p>
					<p><Link to={{ page: "manager" }}>See all profiles</Link></p>
				</div>
			</main>
		</>
	);
}

function Page({ now }: { now: Route }) {
	switch (now.page) {
	case "manager": return <ManagerPage />;
	case "analysis":
	case "summary": return <ProfilePage name={now.profile} isSummary={now.page === "summary"} />;
	case "ranks": return <RanksPage name={now.profile} />;
	case "unknown": return <UnknownPage path={now.path} />;
	}
}

export function App() {
	const now = useStore(route);
	const page = useRef<HTMLDivElement>(null);
	const focused = useStore(isFocused) && now.page === "analysis";
	useEffect(() => {
		if (now.page !== "analysis") isFocused.set(false);
		if (now.page === "manager" || now.page === "unknown") document.title = "Neuron Explorer";
	}, [now]);
	useEffect(() => listenToKeys({
		"?": () => isHelpOpen.set(true),
		"\\": toggleSidebar,
		".": () => route.get().page === "analysis" && toggleFocus(),
		"l": toggleTheme,
		"Escape": () => isFocused.set(false),
	}), []);
	return (
		<div class="app-frame">
			<button type="button" class="app-skip ui-button" onClick={() => page.current?.focus()}>
				Skip to the page</button>
			{!focused && <Sidebar />}
			<div class="app-page" ref={page} tabIndex={-1}>
				<ErrorBoundary what="This page"><Page now={now} /></ErrorBoundary>
			</div>
			{focused && <LeaveFocus />}
			{now.page === "analysis" && !focused && <Tour />}
			<Help />
			<Toasts />
		</div>
	);
}
