// SPDX-License-Identifier: Apache-2.0
// One profile in the table.

import { useState, useEffect, useRef } from "preact/hooks";
import type { Profile, Session } from "../../api/types.ts";
import { CutName } from "../../shell/cut_name.tsx";
import { Icon } from "../../shell/icons.tsx";
import { Link } from "../../shell/link.tsx";
import { MenuButton, type MenuEntry } from "../../shell/menu.tsx";
import { SimulatedBadge } from "../../shell/simulated.tsx";
import { formatInteger } from "../../format.ts";
import { agoText, bytesText, momentText, pluralText } from "../../shell/words.ts";
import { navigate } from "../../state/navigate.ts";
import { changeProfile, fetchArchived } from "./actions.ts";
import { failureText, kindText, lengthText } from "../../state/sessions.ts";
import { foldText, type FoldedRow, type RunHead } from "./fold.ts";
import { stateText, nameFault, NAME_MOST } from "./list.ts";

function RenameField({ name, profiles, onEnd }:
	{ name: string; profiles: Profile[]; onEnd: () => void }) {
	const [typed, setTyped] = useState(name);
	const input = useRef<HTMLInputElement>(null);
	const fault = typed === name ? null : nameFault(typed, profiles);
	const isOver = useRef(false);
	useEffect(() => input.current?.select(), []);
	// Removing the field blurs it; it must not save twice.
	const end = () => {
		isOver.current = true;
		onEnd();
	};
	const save = () => {
		if (fault || isOver.current) return;
		end();
		if (typed !== name) void changeProfile(name, { name: typed });
	};
	return (
		<span class="pm-rename">
			<input ref={input} class="ui-input" maxLength={NAME_MOST} value={typed}
				aria-label={`New name for ${name}`}
				aria-invalid={!!fault} onInput={(event) => setTyped(event.currentTarget.value)}
				onBlur={() => (fault ? end() : save())}
				onKeyDown={(event) => {
					if (event.key === "Enter") save();
					else if (event.key === "Escape") end();
					else return;
					event.stopPropagation();
				}} />
			{fault && <span class="pm-fault" role="alert">{fault}</span>}
		</span>
	);
}

export interface RowActions {
	toggle(name: string, isRange: boolean): void;
	unfold(name: string): void;
	askDelete(names: string[]): void;
	askFolder(names: string[]): void;
}

function StateCell({ profile }: { profile: Profile }) {
	const { state, stage, fraction, reason } = profile;
	const isBusy = state === "processing" || state === "uploading";
	if (!isBusy) {
		return (
			<span class={`pm-state is-${state}`} title={reason || stateText(state)}>
				<Icon name={state === "ready" ? "check" : state === "archived" ? "folder" : "warning"}
					size={12} /> {stateText(state)}
			</span>
		);
	}
	const percent = fraction === null ? null : Math.floor(fraction * 100);
	return (
		<span class="pm-busy" title={stage ?? stateText(state)}>
			<span class="pm-busy-line"><span>{stage ?? stateText(state)}</span>
				<span>{percent === null ? "" : `${percent} %`}</span></span>
			<span class={`ui-progress${percent === null ? " is-unknown" : ""}`} role="progressbar"
				aria-label={`${stateText(state)} ${profile.name}`}
					{...(percent === null ? {} : { "aria-valuenow": percent })}>
				<span style={percent === null ? {} : { width: `${percent}%` }} />
			</span>
		</span>
	);
}

function Fold({ row, onToggle }: { row: FoldedRow; onToggle: () => void }) {
	const { text, trouble } = foldText(row.children, row.sessions);
	const isTurn = (key: string) => key === (row.isOpen ? "ArrowLeft" : "ArrowRight");
	return (
		<button type="button" class={`pm-fold${row.isOpen ? " is-open" : ""}`}
			aria-expanded={row.isOpen} aria-label={`${text} of ${row.profile.name}`}
			title={`${row.isOpen ? "Hide" : "Show"} ${text}`}
			onClick={onToggle} onKeyDown={(event) => {
				if (!isTurn(event.key)) return;
				event.preventDefault();
				onToggle();
			}}>
			<Icon name="down" size={10} />
			{text}{trouble && <span class="pm-trouble">{trouble}</span>}
		</button>
	);
}

/** The heading above the profiles of a run. */
export function RunRow({ run, columnCount }: { run: RunHead; columnCount: number }) {
	return (
		<tr class="pm-run">
			<td class="pm-tick" />
			<td class="pm-star" />
			<td colSpan={columnCount - 2}>
				<span class="ui-dim">Run</span> <b>{run.name}</b> <span class="ui-dim">{pluralText(
					run.profileCount, "profile")}, {pluralText(run.sessionCount, "session")}</span>
			</td>
		</tr>
	);
}

/** A session of a profile: opens the timeline at its times. */
export function SessionRow({ row, session, now }:
	{ row: FoldedRow; session: Session; now: number }) {
	const startMs = Number(BigInt(session.start_ns) / 1_000_000n);
	const failure = failureText(session);
	return (
		<tr class={`is-child pm-session${row.isOfRun ? " is-of-run" : ""}`}>
			<td class="pm-tick" />
			<td class="pm-star" />
			<td class="pm-name">
				<span class="pm-name-line">
					<Link to={{ page: "analysis", profile: row.profile.name }}
						query={`?session=${encodeURIComponent(session.name)}`}
						title={session.name} aria-label={`Session ${session.name}`}>
						<CutName name={session.name} /></Link>
				</span>
				{session.reason && <span class="pm-reason" title={session.reason}>{session.reason}</span>}
				{failure && <span class="pm-reason pm-trouble">{failure}</span>}
			</td>
			<td class="ui-dim">{[kindText(session), lengthText(session)].filter(Boolean).join(", ")}</td>
			<td class="ui-dim">Session</td>
			<td /><td />
			<td class="ui-dim" title={momentText(startMs)}>{startMs ? agoText(startMs, now) : ""}</td>
			<td /><td /><td />
		</tr>
	);
}

export function Row({ row, profiles, isChosen, now, actions }: {
	row: FoldedRow; profiles: Profile[]; isChosen: boolean; now: number; actions: RowActions;
}) {
	const [isRenaming, setRenaming] = useState(false);
	const { profile } = row;
	const { name, favourite } = profile;
	const analysis = { page: "analysis", profile: name } as const;
	const summary = { page: "summary", profile: name } as const;
	const isReady = profile.state === "ready";
	const entries = (): MenuEntry[] => [
		{ title: "Open timeline", icon: "list", isDisabled: !isReady, run: () => navigate(analysis)
			},
		{ title: "Open summary", icon: "bulb", isDisabled: !isReady, run: () => navigate(summary) },
		...(profile.state === "archived" ? [{ title: "Fetch from the archive", icon: "back",
			run: () => void fetchArchived(name) } as MenuEntry] : []),
		"line",
		{ title: favourite ? "Remove from favourites" : "Add to favourites", icon: "star",
			run: () => void changeProfile(name, { favourite: !favourite }) },
		{ title: "Rename", icon: "pencil", run: () => setRenaming(true) },
		{ title: "Move to folder…", icon: "folder", run: () => actions.askFolder([name]) },
		...(profile.folder ? [{ title: `Remove from ${profile.folder}`, icon: "folder",
			run: () => void changeProfile(name, { folder: "" }) } as MenuEntry] : []),
		"line",
		{ title: "Delete…", icon: "trash", isDanger: true, run: () => actions.askDelete([name]) },
	];
	return (
		<tr class={`${isChosen ? "is-chosen" : ""}${row.isChild ? " is-child" : ""}` +
			(row.isOfRun ? " is-of-run" : "")}
			aria-selected={isChosen}>
			<td class="pm-tick"><input type="checkbox" class="ui-check" checked={isChosen}
				aria-label={`Select ${name}`}
				onClick={(event) => actions.toggle(name, event.shiftKey)} /></td>
			<td class="pm-star">
				<button type="button" class={`ui-icon-button is-small${favourite ? " is-on" : ""}`}
					aria-pressed={favourite}
					aria-label={`Favourite ${name}`} title={favourite ? "Remove from favourites"
						: "Add to favourites"}
					onClick={() => void changeProfile(name, { favourite: !favourite })}>
					<Icon name="star" size={14} filled={favourite} /></button>
			</td>
			<td class="pm-name">
				{isRenaming ? <RenameField name={name} profiles={profiles}
					onEnd={() => setRenaming(false)} /> : (
					<span class="pm-name-line">
						<Link to={analysis} title={name} aria-label={name}><CutName name={name} /></Link>
						{!row.isChild && <SimulatedBadge of={profile} />}
						<button type="button" class="ui-icon-button is-small pm-pencil"
							aria-label={`Rename ${name}`}
							title="Rename" onClick={() => setRenaming(true)}><Icon name="pencil"
								size={12} /></button>
					</span>
				)}
				{!isRenaming && !!(row.children.length || row.sessions.length) && <Fold row={row}
					onToggle={() => actions.unfold(name)} />}
				{!isRenaming && profile.reason && !isReady && <span class="pm-reason"
					title={profile.reason}>{profile.reason}</span>}
			</td>
			<td><StateCell profile={profile} /></td>
			<td class="ui-dim">{profile.kind === "device" ? "Device" : "System"}</td>
			<td class="pm-number">{isReady ? bytesText(Number(profile.size_bytes)) : ""}</td>
			<td class="pm-number">{isReady ? formatInteger(profile.row_count) : ""}</td>
			<td class="ui-dim" title={momentText(profile.created_ms)}>{agoText(profile.created_ms,
				now)}</td>
			<td class="ui-dim" title={momentText(profile.opened_ms)}>{agoText(profile.opened_ms,
				now)}</td>
			<td class="pm-folder ui-dim" title={profile.folder}>{profile.folder}</td>
			<td class="pm-actions">
				<Link class="ui-icon-button is-small" to={summary} aria-label={`Summary of ${name}`}
					title="Summary"><Icon name="bulb" size={14} /></Link>
				<MenuButton label={`Actions for ${name}`} class="ui-icon-button is-small" isRight
					entries={entries}>
					<Icon name="more" size={14} /></MenuButton>
			</td>
		</tr>
	);
}
