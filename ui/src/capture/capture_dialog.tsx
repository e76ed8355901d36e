// SPDX-License-Identifier: Apache-2.0
// The dialog that captures a running job: what to capture, then the progress of each host. The
// profile opens when it is ready.

import { useEffect, useState } from "preact/hooks";
import type { Jobs, Task } from "../api/types.ts";
import { profileWatch, server } from "../server.ts";
import { Dialog } from "../shell/dialog.tsx";
import { Icon } from "../shell/icons.tsx";
import { notify } from "../shell/toasts.tsx";
import { navigate } from "../state/navigate.ts";
import { useStore } from "../store.ts";
import { captureFault, groupsOf, isOver, jobOf, MOST_SECONDS, taskText, typedAddresses,
	type TargetGroup } from "./capture_model.ts";
import "./capture.css";

const POLL_MS = 1000;

function Targets({ groups, chosen, choose }: { groups: TargetGroup[]; chosen: ReadonlySet<string>;
	choose: (addresses: string[], isOn: boolean) => void }) {
	return (
		<>
			{groups.map((group) => {
				const all = group.targets.map((one) => one.address);
				const isAll = all.length > 0 && all.every((one) => chosen.has(one));
				return (
					<fieldset key={group.title} class="cap-group">
						<legend><label><input type="checkbox" class="ui-check" checked={isAll}
							disabled={!all.length} onChange={() => choose(all, !isAll)} />
							{group.title}</label></legend>
						{group.failure && <p class="ui-hint is-error">{group.failure}</p>}
						{group.targets.map(({ address, note, isLocked }) => (
							<label key={address} class="cap-target">
								<input type="checkbox" class="ui-check" checked={chosen.has(address)}
									onChange={(event) => choose([address], event.currentTarget.checked)} />
								<span class="ui-mono">{address}</span>
								<span class="cap-note ui-dim" title={note}>{note}</span>
								{isLocked && <span class="ui-badge" title={"The server reads it from the file " +
									"in NEURON_PROFILER_TOKEN_FILE"}>needs a token</span>}
							</label>
						))}
					</fieldset>
				);
			})}
		</>
	);
}

interface Wish {
	seconds: string;
	hostLevel: number;
	hasDevice: boolean;
	hasPython: boolean;
}

function What({ wish, change }: { wish: Wish; change: (part: Partial<Wish>) => void }) {
	return (
		<div class="cap-row">
			<div class="ui-field">
				<label for="cap-seconds">Seconds</label>
				<input id="cap-seconds" class="ui-input" type="number" min="0.001" step="any"
					max={MOST_SECONDS} value={wish.seconds}
					onInput={(event) => change({ seconds: event.currentTarget.value })} />
			</div>
			<div class="ui-field">
				<label for="cap-host">Host events</label>
				<select id="cap-host" class="ui-input" value={wish.hostLevel}
					onChange={(event) => change({ hostLevel: Number(event.currentTarget.value) })}>
					<option value={0}>None</option>
					<option value={1}>Of the program</option>
					<option value={2}>Also expensive operations</option>
					<option value={3}>All</option>
				</select>
			</div>
			<label class="cap-check"><input type="checkbox" class="ui-check" checked={wish.hasDevice}
				onChange={(event) => change({ hasDevice: event.currentTarget.checked })} />
				Device events</label>
			<label class="cap-check" title="Slows the program down"><input type="checkbox"
				class="ui-check" checked={wish.hasPython}
				onChange={(event) => change({ hasPython: event.currentTarget.checked })} />
				Python calls</label>
		</div>
	);
}

function Progress({ task }: { task: Task }) {
	return (
		<div class="cap-progress" role="status">
			<p class={task.state === "failed" ? "ui-notice is-warning" : "cap-state"}>
				{!isOver(task) && <span class="ui-spinner" />} {taskText(task)}</p>
			<ul class="cap-hosts">
				{task.hosts.map((host) => (
					<li key={host.address}>
						<span class="ui-mono">{host.address}</span>
						<span class={host.failure ? "cap-failure" : "ui-dim"}>
							{task.message === host.failure && host.failure ? "failed"
								: host.failure || host.stage || "waiting"}</span>
						{host.stage === "done" && !host.failure && <Icon name="check" size={12} />}
					</li>
				))}
			</ul>
		</div>
	);
}

/** The task, by the server's events, and by asking if they do not arrive. */
function useTask(id: number | null): Task | null {
	const tasks = useStore(profileWatch.tasks);
	useEffect(() => {
		if (id === null) return;
		const ask = () => void profileWatch.refreshTasks();
		ask();
		const timer = setInterval(ask, POLL_MS);
		return () => clearInterval(timer);
	}, [id]);
	return id === null ? null : tasks.find((task) => task.id === id) ?? null;
}

export function CaptureDialog({ onClose }: { onClose: () => void }) {
	const [jobs, setJobs] = useState<Jobs | null>(null);
	const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
	const [typed, setTyped] = useState("");
	const [wish, setWish] = useState<Wish>({ seconds: "1", hostLevel: 2, hasDevice: true,
		hasPython: false });
	const [taskId, setTaskId] = useState<number | null>(null);
	const task = useTask(taskId);
	useEffect(() => {
		const asking = new AbortController();
		server.jobs(asking.signal).then((found) => {
			setJobs(found);
			const groups = groupsOf(found);
			if (groups.length === 1) setChosen(new Set(groups[0]!.targets.map((one) => one.address)));
		}, (failure: Error) => asking.signal.aborted || notify(failure.message, "error"));
		return () => asking.abort();
	}, []);
	useEffect(() => {
		if (task?.state !== "ready") return;
		onClose();
		navigate({ page: "analysis", profile: task.profile });
	}, [task?.state]);
	const groups = jobs ? groupsOf(jobs) : [];
	const addresses = [...new Set([...chosen, ...typedAddresses(typed)])];
	const fault = captureFault(addresses, Number(wish.seconds));
	const choose = (all: string[], isOn: boolean) => setChosen((now) => {
		const next = new Set(now);
		for (const one of all) {
			if (isOn) next.add(one);
			else next.delete(one);
		}
		return next;
	});
	const begin = async () => {
		if (fault) return;
		try {
			setTaskId((await server.capture({ addresses, job: jobOf(groups, new Set(addresses)),
				duration_ms: Math.max(1, Math.round(Number(wish.seconds) * 1000)),
				host_level: wish.hostLevel, device_level: wish.hasDevice ? 1 : 0,
				python_level: wish.hasPython ? 1 : 0 })).id);
		} catch (failure) {
			notify((failure as Error).message, "error");
		}
	};
	if (taskId !== null) {
		const isRunning = !task || !isOver(task);
		return (
			<Dialog key="progress" title="Capture a running job" isWide onClose={onClose} foot={<>
				<span class="cap-total ui-dim">{isRunning &&
					"The capture continues if you close this; its profile appears in the list."}</span>
				{isRunning && <button type="button" class="ui-button" onClick={() =>
					void server.cancelTask(taskId)}>Cancel the capture</button>}
				{!isRunning && <button type="button" class="ui-button" onClick={() =>
					setTaskId(null)}>Back</button>}
				<button type="button" class="ui-button" onClick={onClose}>Close</button>
			</>}>
				{task ? <Progress task={task} /> : <p><span class="ui-spinner" /> Starting</p>}
			</Dialog>
		);
	}
	return (
		<Dialog key="form" title="Capture a running job" isWide onClose={onClose}
			onSubmit={() => void begin()} foot={<>
				<span class="cap-total ui-dim">{fault ?? (addresses.length > 1
					? `${addresses.length} hosts become one session` : "")}</span>
				<button type="button" class="ui-button" onClick={onClose}>Cancel</button>
				<button type="submit" class="ui-button is-primary" disabled={!!fault}>Capture</button>
			</>}>
			{!jobs && <p class="ui-dim"><span class="ui-spinner" /> Looking for running programs …</p>}
			{jobs?.failure && <p class="ui-notice is-warning">{jobs.failure}</p>}
			{jobs && !groups.length && <p class="ui-dim">No running program was found. Start one with
				NEURON_PROFILER_PORT, list jobs in jobs.json of the workspace, or type an address.</p>}
			<Targets groups={groups} chosen={chosen} choose={choose} />
			<div class="ui-field">
				<label for="cap-typed">Other addresses</label>
				<input id="cap-typed" class="ui-input ui-mono" value={typed} autocomplete="off"
					placeholder="host:port, host:port" data-autofocus
					onInput={(event) => setTyped(event.currentTarget.value)} />
			</div>
			<What wish={wish} change={(part) => setWish({ ...wish, ...part })} />
		</Dialog>
	);
}
