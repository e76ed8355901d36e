// SPDX-License-Identifier: Apache-2.0
// Compares a system profile's Perfetto trace with the JSON export of the same directory.
// usage: node check_system.mjs ASSETS TRACE JSON
import fs from 'node:fs';
import { check, counts } from './checks.mjs';
import { findLosses, openTrace } from './trace_processor.mjs';

const [assets, traceFile, jsonFile] = process.argv.slice(2);
// Ids and flows need all 64 bits, which a double has not: read long numbers as text.
const json = JSON.parse(fs.readFileSync(jsonFile, 'utf8')
  .replace(/(":\s*)(\d{16,})(?=[,}\]\s])/g, '$1"$2"'));
const trace = await openTrace(traceFile, assets);

function tally(items, keyOf, nsOf) {
  const totals = {};
  for (const item of items) {
    const total = totals[keyOf(item)] ??= { count: 0, ns: 0 };
    total.count++;
    total.ns += Number(nsOf(item));
  }
  return Object.fromEntries(Object.entries(totals).sort());
}

const word = (name) => name.split(' ')[0]; // "nc_exec_running /path/model.neff"
const events = json.trace_events;
const slices = await trace.query(`
  select s.id, s.ts, s.dur, s.depth, s.name, s.arg_set_id args, t.name row
  from slice s join track t on s.track_id = t.id`);
const isTransfer = (s) => /_transfers/.test(s.row ?? '');
const isStep = (s) => /^steps( lane \d+)?$/.test(s.row ?? '');
const drawn = slices.filter((s) => !isTransfer(s) && !isStep(s));

async function checkLosses() {
  check('stats', await findLosses(trace), []);
  check('slices that never end', slices.filter((s) => s.dur < 0).length, 0);
}

function checkEvents() {
  const shown = (e) => (e.type === 99999 ? e.name : word(e.name));
  const named = new Set(events.filter((e) => e.type === 99999).map((e) => e.name));
  const drawnName = (s) => (named.has(s.name) ? s.name : word(s.name));
  check('events', drawn.length, events.length);
  check('events per name', tally(drawn, drawnName, (s) => s.dur),
    tally(events, shown, (e) => e.duration));
  check('first event', drawn.map((s) => String(s.ts)).sort()[0],
    events.map((e) => String(e.timestamp)).sort()[0]);
}

function checkTransfers() {
  check('host-device transfers', tally(slices.filter(isTransfer),
    (s) => /(host_to_device|device_to_host)/.exec(s.row)[1], (s) => s.dur),
  tally(json.host_device_transfers, (t) => t.direction, (t) => t.duration));
}

async function checkCounters() {
  const counters = await trace.query(`
    select t.name, count(*) n, max(c.value) top from counter c join counter_track t
    on c.track_id = t.id group by t.name`);
  const sum = (test) => counters.filter((c) => test.test(c.name)).reduce((n, c) => n + c.n, 0);
  const top = (test) => Math.max(0, ...counters.filter((c) => test.test(c.name)).map((c) => c.top));
  const most = (rows, key) => rows.reduce((m, r) => Math.max(m, Number(r[key])), 0);
  check('memory samples', sum(/^memory/), json.mem_usage.length);
  check('memory peak', top(/^memory/), most(json.mem_usage, 'usage'));
  check('HBM totals', sum(/ total$/), json.hbm_usage.length);
  check('HBM peak', top(/ total$/), most(json.hbm_usage, 'total_usage'));
  check('CPU is sampled', sum(/^CPU/) > 0, json.cpu_util.length > 0);
}

// Ids and the numbers of a sample of events, found again by id.
async function checkArguments() {
  const wanted = events.filter((e) => e.type !== 99999 && !e.is_instant)
    .filter((_, i, all) => i % Math.ceil(all.length / 25) === 0);
  for (const event of wanted) {
    const found = await trace.query(`
      select s.ts, s.dur, s.name, s.arg_set_id args from slice s join args a
      on a.arg_set_id = s.arg_set_id where a.key = 'debug.id'
      and a.display_value = '${event.id}' and s.ts = ${event.timestamp}
      and s.dur = ${event.duration}`);
    const match = found.find((s) => word(s.name) === event.name);
    check(`event ${event.id} ${event.name}`, match !== undefined, true);
    if (!match) continue;
    const args = Object.fromEntries((await trace.query(
      `select key, display_value v from args where arg_set_id = ${match.args}`))
      .map((a) => [a.key.replace('debug.', ''), String(a.v)]));
    for (const key of ['size', 'exec_id', 'tensor_id', 'offset', 'mem_handle'])
      if (key in event) check(`${event.name} ${key}`, args[key], String(event[key]));
    if (event.parent_id) check(`${event.name} parent`, args.parent_id, String(event.parent_id));
  }
}

// The trace draws an arrow between neighbours of a flow; instants have none. The call on the host
// that launches an execution is in two flows: that of the execution, and that of the framework call.
async function checkFlows() {
  const members = {};
  for (const event of events)
    for (const flow of [event.flow_id, event.call_flow_id])
      if (flow && !event.is_instant) {
        const key = `${event.process_id} ${event.instance_id} ${flow}`;
        members[key] = (members[key] ?? 0) + 1;
      }
  const arrows = Object.values(members).reduce((n, count) => n + count - 1, 0);
  check('flows', (await trace.query('select count(*) n from flow'))[0].n, arrows);
}

// Arrows lead from a call of the framework to nrt_execute, to the launch, to the core.
async function checkPath() {
  const steps = await trace.query(`
    select distinct a.name source, b.name target from flow f join slice a on f.slice_out = a.id
    join slice b on f.slice_in = b.id`);
  const next = {};
  for (const { source, target } of steps) (next[word(source)] ??= new Set()).add(word(target));
  const calls = new Set(events.filter((e) => e.trace_event_source === 'framework').map((e) => word(e.name)));
  const reaches = (from, wanted, seen = new Set()) => from === wanted || (!seen.has(from) && seen.add(from) &&
    [...next[from] ?? []].some((one) => reaches(one, wanted, seen)));
  const names = new Set(events.map((e) => e.name));
  if (!calls.size || !names.has('nrt_execute') || !names.has('nc_exec_running')) return;
  check('a framework call leads to nrt_execute', [...calls].some((call) => reaches(call, 'nrt_execute')), true);
  check('nrt_execute leads to the core', reaches('nrt_execute', 'nc_exec_running'), true);
}

// Steps and gaps, compared with their tables.
async function checkSteps() {
  check('steps', tally(slices.filter(isStep), (s) => s.name, (s) => s.dur),
    tally(json.steps, (s) => s.label, (s) => s.duration_ns));
  const gaps = await trace.query(`
    select count(*) n, coalesce(sum(c.value), 0) total, coalesce(max(c.value), 0) top
    from counter c join counter_track t on c.track_id = t.id
    where t.name like '%execution gap' and c.value > 0`);
  const long = json.execution_gaps.filter((g) => g.duration_ns > 0);
  check('gaps', gaps[0].n, long.length);
  check('time of gaps', Number(gaps[0].total), long.reduce((sum, g) => sum + g.duration_ns, 0));
  check('longest gap', Number(gaps[0].top), Math.max(0, ...long.map((g) => g.duration_ns)));
}

await checkLosses();
checkEvents();
checkTransfers();
await checkCounters();
await checkArguments();
await checkFlows();
await checkPath();
await checkSteps();
console.log(`${counts.checks} checks, ${counts.failures} failures`);
process.exit(counts.failures ? 1 : 0);
