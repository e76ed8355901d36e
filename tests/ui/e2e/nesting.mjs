// SPDX-License-Identifier: Apache-2.0
// Calls are drawn below the calls around them: the depths that the server answers, compared with the
// parents and times of SQL, for generated captures, those of examples and, if present, a real run.

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { begin, realCaptures, runCases } from "./harness.mjs";

const PAGE = 1000;
const world = await begin(async (w) => {
	const build = join(dirname(w.program), "..");
	const runtime = join(build, "runtime/nrt/libnrt.so.1");
	w.ingest("generated", "-d", w.makeSystem(), "--ignore-device-profile");
	const neff = join(w.folder, "rank_sum.neff");
	w.run(w.program, "neff", "--assemble", join(dirname(process.argv[1]), "../../../examples/rank_sum.nasm"),
		"-o", neff);
	w.run(w.program, "inspect", "-o", join(w.folder, "collectives"), "--runtime", runtime,
		join(build, "nccom-test"), "allr", "allg", "-b", "64kb", "-e", "64kb", "-r", "4", "-n", "5", "-w", "1");
	w.ingest("collectives", "-d", join(w.folder, "collectives"), "--ignore-device-profile");
	w.run("env", `LD_LIBRARY_PATH=${dirname(runtime)}`, join(build, "examples/training"), neff,
		join(w.folder, "loop"));
	w.ingest("training", "-d", join(w.folder, "loop"), "--ignore-device-profile");
	const data = realCaptures();
	if (data) w.ingest("real", "-d", join(data, "neuron-system"), "--ignore-device-profile");
	await w.serve();
});

/** Track and depth by row number, as the timeline has them. */
async function placesOf(profile) {
	const places = new Map();
	for (let total = 1; places.size < total;) {
		const page = await world.api(`profiles/${profile}/search?table=SystemProfileEvents&where=` +
			`${encodeURIComponent("duration_ns>=0")}&offset=${places.size}&limit=${PAGE}`);
		total = Number(page.total);
		for (const { row, track, depth } of page.rows) places.set(Number(row), { track, depth });
		assert.ok(page.rows.length, `${profile}: ${places.size} of ${total} events`);
	}
	return places;
}

const say = ({ name, start, end, depth }) => `${name} ${start} to ${end} at depth ${depth}`;

/** Checks all pairs of a track of which one contains the other. */
function checkTrack(events) {
	const open = [];
	let pairs = 0;
	for (const event of events) {
		for (let i = open.length - 1; i >= 0; i--) {
			if (open[i].end <= event.start) open.splice(i, 1);
			else if (open[i].end >= event.end) {
				pairs++;
				assert.ok(open[i].depth < event.depth, `${say(event)} is inside of ${say(open[i])}`);
			}
		}
		open.push(event);
	}
	return pairs;
}

async function check(profile) {
	const places = await placesOf(profile);
	const rows = world.sql(profile, "SELECT name, CAST(id AS VARCHAR) AS id, instance_id, process_id, " +
		"CAST(start_ts AS VARCHAR) AS start_ts, CAST(end_ts AS VARCHAR) AS end_ts, " +
		"json_extract_string(extra_attributes_json, '$.parent_id') AS parent FROM SystemProfileEvents");
	assert.equal(rows.length, places.size);
	const events = rows.map((row, i) => ({ ...row, ...places.get(i), start: BigInt(row.start_ts), end: BigInt(row.end_ts) }));
	const keyOf = ({ instance_id, process_id }, id) => `${instance_id} ${process_id} ${id}`;
	const byId = new Map(events.map((event) => [keyOf(event, event.id), event]));
	let parents = 0, pairs = 0;
	for (const event of events) {
		const parent = event.parent && byId.get(keyOf(event, event.parent));
		if (!parent || parent.track !== event.track) continue;
		parents++;
		assert.ok(parent.depth < event.depth, `${say(event)} is a call of ${say(parent)}`);
	}
	const tracks = new Map();
	for (const event of events) tracks.set(event.track, [...tracks.get(event.track) ?? [], event]);
	// Events that start together: the longer one is around the other.
	for (const own of tracks.values())
		pairs += checkTrack(own.sort((a, b) => Number(a.start - b.start) || Number(b.end - a.end) || a.depth - b.depth));
	assert.ok(pairs > 0, "some events are inside of others");
	return { parents, pairs };
}

const profiles = (await world.api("profiles")).profiles.filter(({ kind }) => kind === "system").map(({ name }) => name);
await runCases(world, Object.fromEntries(profiles.map((name) => [`calls of ${name} are below the calls around them`,
	async () => {
		const { parents, pairs } = await check(name);
		console.log(`# ${name}: ${parents} calls with a parent, ${pairs} pairs of which one contains the other`);
	}])));
