// SPDX-License-Identifier: Apache-2.0
// The sidebar: the Profile Manager and shortcuts to profiles.

import { useState } from "preact/hooks";
import type { Profile } from "../api/types.ts";
import { profileWatch } from "../server.ts";
import { latest } from "../state/family.ts";
import { route } from "../state/navigate.ts";
import { recall, remember } from "../state/remember.ts";
import { createStore, useStore } from "../store.ts";
import { CutName } from "./cut_name.tsx";
import { Icon } from "./icons.tsx";
import { Link } from "./link.tsx";
import "./sidebar.css";

const isBoolean = (value: unknown) => typeof value === "boolean";
const isSidebarOpen = createStore(recall<boolean>("sidebar", isBoolean) ?? true);

export function toggleSidebar(): void {
	isSidebarOpen.update((isOpen) => !isOpen);
	remember("sidebar", isSidebarOpen.get());
}

const MOST = 8;

const SECTIONS: { id: string; title: string; empty: string;
	pick: (all: Profile[]) => Profile[] }[] = [
	{ id: "favourites", title: "Favourites", empty: "Star a profile to keep it here.",
		pick: (all) => all.filter((p) => p.favourite).sort((a, b) => a.name.localeCompare(b.name))
			},
	{ id: "viewed", title: "Recently viewed", empty: "Profiles you open are listed here.",
		pick: (all) => latest(all, (p) => p.opened_ms, MOST) },
	{ id: "added", title: "Recently added", empty: "New profiles are listed here.",
		pick: (all) => latest(all, (p) => p.created_ms, MOST) },
];

interface Here {
	name: string | null;
	parent: string | null; // some lists show it instead of its devices
}

function Section({ id, title, empty, profiles, here }:
	{ id: string; title: string; empty: string; profiles: Profile[]; here: Here }) {
	const [isOpen, setOpen] = useState(() => recall<boolean>(`sidebar.${id}`, isBoolean) ?? true);
	const toggle = () => {
		setOpen(!isOpen);
		remember(`sidebar.${id}`, !isOpen);
	};
	return (
		<section class="side-section">
			<button type="button" class={`side-head${isOpen ? " is-open" : ""}`} aria-expanded={isOpen}
				onClick={toggle}>
				<Icon name="down" size={12} /> {title}
				<span class="side-count">{profiles.length || ""}</span>
			</button>
			{isOpen && !profiles.length && <p class="side-empty">{empty}</p>}
			{isOpen && profiles.map((profile) => (
				<Link key={profile.name} to={{ page: "analysis", profile: profile.name }}
					class="side-link" title={profile.name} aria-label={profile.name}
					aria-current={profile.name === here.name ? "page"
						: profile.name === here.parent ? "true" : undefined}>
					<span class={`side-dot is-${profile.state}`} />
					<CutName name={profile.name} />
				</Link>
			))}
		</section>
	);
}

export function Sidebar() {
	const isOpen = useStore(isSidebarOpen);
	const now = useStore(route);
	const { profiles } = useStore(profileWatch.list);
	const name = now.page === "analysis" || now.page === "summary" ? now.profile : null;
	const here = { name, parent: profiles.find((one) => one.name === name)?.parent ?? null };
	return (
		<nav class={`side-bar${isOpen ? "" : " is-closed"}`} aria-label="Profiles">
			<div class="side-top">
				{isOpen && <Link class="side-brand" to={{ page: "manager" }}>Neuron Explorer</Link>}
				<button type="button" class="ui-icon-button" onClick={toggleSidebar}
					aria-label={isOpen ? "Hide the sidebar" : "Show the sidebar"}
					title={`${isOpen ? "Hide" : "Show"} the sidebar (\\)`}><Icon name="sidebar"
						/></button>
			</div>
			<Link class="side-link is-page" to={{ page: "manager" }} title="Profile Manager"
				aria-current={now.page === "manager" ? "page" : undefined}>
				<Icon name="list" /> {isOpen && "Profile Manager"}
			</Link>
			{isOpen && (
				<div class="side-lists">
					{SECTIONS.map((section) => (
						<Section key={section.id} id={section.id} title={section.title} empty={section.empty}
							profiles={section.pick(profiles)} here={here} />
					))}
				</div>
			)}
		</nav>
	);
}
