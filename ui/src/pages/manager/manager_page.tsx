// SPDX-License-Identifier: Apache-2.0
// The Profile Manager.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { profileWatch, tunnelCommand } from "../../server.ts";
import { copyText } from "../../shell/command.tsx";
import { Icon } from "../../shell/icons.tsx";
import { listenToKeys } from "../../shell/keys.ts";
import { MenuButton, type MenuEntry } from "../../shell/menu.tsx";
import { TopBar } from "../../shell/topbar.tsx";
import { formatInteger } from "../../format.ts";
import { navigate } from "../../state/navigate.ts";
import { recall, remember } from "../../state/remember.ts";
import { useStore } from "../../store.ts";
import { EMPTY_PLAN, withDropped, type Chosen, type Plan } from "../../upload/plan.ts";
import { UploadDialog } from "../../upload/upload_dialog.tsx";
import { UploadList } from "../../upload/upload_list.tsx";
import { CaptureDialog } from "../../capture/capture_dialog.tsx";
import { changeProfile, moveToFolder } from "./actions.ts";
import { DeleteDialog, FolderDialog } from "./dialogs.tsx";
import { DropAnywhere } from "./drop_anywhere.tsx";
import { NoProfiles, NoServer, NothingListed, FolderList } from "./empty.tsx";
import { foldedRows, groupedByRun, namesIn } from "./fold.ts";
import { foldersOf, type Folder, type Sort, type Tab } from "./list.ts";
import { ProfileTable } from "./table.tsx";
import "./manager.css";

const TABS: { id: Tab; title: string }[] = [
	{ id: "all", title: "All" },
	{ id: "favourites", title: "Favourites" },
	{ id: "folders", title: "Folders" },
	{ id: "viewed", title: "Recently viewed" },
];
const NEWEST: Sort = { key: "created", isDescending: true };
const isNames = (value: unknown) => Array.isArray(value) && value.every((one) =>
	typeof one === "string");

/** New, empty folders; the server knows only the folders of profiles. */
function useMadeFolders(): [string[], (names: string[]) => void] {
	const [made, setMade] = useState<string[]>(() => recall<string[]>("folders", isNames) ?? []);
	return [made, (names) => {
		setMade(names);
		remember("folders", names);
	}];
}

type Question = { delete: string[] } | { folder: string[] } | null;

export function ManagerPage() {
	const { profiles, isLoaded, failure } = useStore(profileWatch.list);
	const [tab, setTab] = useState<Tab>("all");
	const [text, setText] = useState("");
	const [folder, setFolder] = useState<string | null>(null);
	const [sort, setSort] = useState<Sort>(NEWEST);
	const [chosen, setChosen] = useState(new Set<string>());
	const [question, setQuestion] = useState<Question>(null);
	const [plan, setPlan] = useState<Plan | null>(null);
	const [isCapturing, setCapturing] = useState(false);
	const [made, setMade] = useMadeFolders();
	const search = useRef<HTMLInputElement>(null);
	const folders = useMemo(() => foldersOf(profiles, made), [profiles, made]);
	const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set<string>());
	const shown = useMemo(() => groupedByRun(foldedRows(profiles, { tab, text, folder, sort },
		unfolded)),
		[profiles, tab, text, folder, sort, unfolded]);
	const found = useMemo(() => namesIn(shown), [shown]);
	const names = found.filter((name) => chosen.has(name));
	const takeDrop = useCallback((files: Chosen[]) =>
		setPlan((now) => withDropped(now ?? EMPTY_PLAN, files)), []);
	useEffect(() => listenToKeys({ "/": () => search.current?.focus() }), []);

	const unfold = (name: string) => setUnfolded((now) => {
		const next = new Set(now);
		if (!next.delete(name)) next.add(name);
		return next;
	});
	const openTab = (next: Tab) => {
		setTab(next);
		setFolder(null);
		setChosen(new Set());
		setSort(next === "viewed" ? { key: "opened", isDescending: true } : NEWEST);
	};
	const forgetFolder = (one: Folder) => {
		setMade(made.filter((name) => name !== one.name));
		const inside = profiles.filter((profile) => profile.folder === one.name).map((profile) =>
			profile.name);
		if (inside.length) void moveToFolder(inside, "");
	};
	const actionEntries = (): MenuEntry[] => {
		const one = names.length === 1 ? names[0]! : null;
		const isNone = !names.length;
		return [
			{ title: "Open timeline", icon: "list", isDisabled: !one,
				run: () => one && navigate({ page: "analysis", profile: one }) },
			{ title: "Open summary", icon: "bulb", isDisabled: !one,
				run: () => one && navigate({ page: "summary", profile: one }) },
			"line",
			{ title: "Add to favourites", icon: "star", isDisabled: isNone,
				run: () => names.forEach((name) => void changeProfile(name, { favourite: true })) },
			{ title: "Move to folder…", icon: "folder", isDisabled: isNone,
				run: () => setQuestion({ folder: names }) },
			{ title: "Remove from folder", icon: "folder", isDisabled: isNone,
				run: () => void moveToFolder(names, "") },
			"line",
			{ title: "Copy ssh tunnel command", icon: "copy",
				run: () => void copyText(tunnelCommand(), "Tunnel command") },
			"line",
			{ title: "Delete…", icon: "trash", isDanger: true, isDisabled: isNone,
				run: () => setQuestion({ delete: names }) },
		];
	};
	const isFolderList = tab === "folders" && folder === null;
	const count = isFolderList ? folders.length : found.length;

	return (
		<>
			<TopBar actions={<>
				<button type="button" class="ui-button" onClick={() => setCapturing(true)}>
					<Icon name="record" size={14} /> Capture a running job</button>
				<button type="button" class="ui-button is-primary"
					onClick={() => setPlan(EMPTY_PLAN)}>
					<Icon name="upload" size={14} /> Upload profile</button>
			</>}><h1>Profile Manager</h1></TopBar>
			<main class="app-main">
				<div class="pm-bar">
					<div class="pm-tabs" role="tablist" aria-label="Which profiles">
						{TABS.map(({ id, title }) => (
							<button type="button" key={id} role="tab" class="pm-tab" aria-selected={tab === id}
								onClick={() => openTab(id)}>{title}</button>
						))}
					</div>
					{folder !== null && (
						<span class="pm-crumb"><button type="button" class="ui-button is-quiet"
							onClick={() => setFolder(null)}>
							<Icon name="back" size={12} /> Folders</button> {folder}</span>
					)}
					<span class="pm-count ui-dim">{isLoaded && formatInteger(count)}
						{names.length ? `, ${names.length} selected` : ""}</span>
					<div class="ui-search pm-search">
						<Icon name="search" size={14} />
						<input ref={search} class="ui-input" type="search"
							placeholder="Find profiles" value={text} aria-label="Find profiles"
							onInput={(event) => setText(event.currentTarget.value)} />
					</div>
					{tab === "folders" && <button type="button" class="ui-button"
						onClick={() => setQuestion({ folder: [] })}>Create folder</button>}
					<button type="button" class="ui-icon-button" aria-label="Refresh" title="Refresh"
						onClick={() => void profileWatch.refresh()}><Icon name="refresh" /></button>
					<MenuButton label="Actions" isRight entries={actionEntries}>
						Actions <Icon name="down" size={12} /></MenuButton>
				</div>
				<UploadList />
				{failure && isLoaded && <p class="ui-notice is-warning pm-stale">
					This list may be out of date. {failure}</p>}
				{!isLoaded && failure ? <NoServer sentence={failure}
					onRetry={() => void profileWatch.refresh()} />
					: !isLoaded
						? <p class="ui-empty" role="status"><span><span
							class="ui-spinner" /> Loading …</span></p>
						: !profiles.length ? <NoProfiles onUpload={() => setPlan(EMPTY_PLAN)} />
							: !count ? <NothingListed tab={tab} text={text}
								onClear={() => setText("")} />
								: isFolderList
									? <FolderList folders={folders} onOpen={setFolder}
										onForget={forgetFolder} />
									: <ProfileTable shown={shown} profiles={profiles}
										chosen={chosen} setChosen={setChosen}
										sort={sort} onSort={setSort} actions={{
											unfold,
											askDelete: (all) => setQuestion({ delete: all }),
											askFolder: (all) => setQuestion({ folder: all }),
										}} />}
			</main>
			{question && "delete" in question && <DeleteDialog names={question.delete} profiles={profiles}
				onClose={(isDone) => {
				if (isDone) setChosen(new Set());
				setQuestion(null);
			}} />}
			{question && "folder" in question && <FolderDialog names={question.folder} folders={folders}
				onMade={(name) => setMade([...made, name])} onClose={() => setQuestion(null)} />}
			{plan && <UploadDialog plan={plan} setPlan={setPlan} folders={folders}
				onClose={() => setPlan(null)} />}
			{isCapturing && <CaptureDialog onClose={() => setCapturing(false)} />}
			<DropAnywhere onFiles={takeDrop} />
		</>
	);
}
