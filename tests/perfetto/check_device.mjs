// SPDX-License-Identifier: Apache-2.0
// Compares a device profile's Perfetto trace with the JSON export of the same capture.
// usage: node check_device.mjs ASSETS TRACE JSON [flows]
import fs from 'node:fs';
import { check, counts } from './checks.mjs';
import { findLosses, openTrace } from './trace_processor.mjs';

const [assets, traceFile, jsonFile, ...flags] = process.argv.slice(2);
const expectFlows = flags.includes('flows');
const json = JSON.parse(fs.readFileSync(jsonFile, 'utf8'));
const trace = await openTrace(traceFile, assets);

const sorted = (object) => Object.fromEntries(Object.entries(object).sort());
const rows = (section) => json[section] ?? [];

function tally(items, keyOf, add) {
  const totals = {};
  for (const item of items) {
    const total = totals[keyOf(item)] ??= { count: 0, ns: 0 };
    total.count++;
    total.ns += add(item);
  }
  return sorted(totals);
}

// A core is found by its graph: "NeuronCore 4 (sg00)".
const graphOf = (core) => /\((.*)\)$/.exec(core)[1];
const graphs = rows('model_info').map((row) => row.sg_name);
const subgraph = (row) => row.subgraph ?? graphs[0];

const slices = await trace.query(`
  select s.id, s.ts, s.dur, s.depth, s.name, s.arg_set_id args, s.track_id track,
         s.parent_id parent, t.name row, p.name up, g.name top
  from slice s join track t on s.track_id = t.id left join track p on t.parent_id = p.id
  left join track g on p.parent_id = g.id order by s.ts, s.id`);
const points = new Set(['Semaphores', 'Notifications', 'Profile']);
const isInstruction = (s) => s.up?.startsWith('NeuronCore') && !points.has(s.row);
const instructions = slices.filter(isInstruction);

async function checkLosses() {
  check('stats', await findLosses(trace), []);
  check('slices that never end', slices.filter((s) => s.dur < 0).length, 0);
}

function checkInstructions() {
  check('instructions per row', tally(instructions, (s) => `${graphOf(s.up)} ${s.row}`, (s) => s.dur),
    tally(rows('instruction'), (r) => `${subgraph(r)} ${r.label}`, (r) => r.duration));
  check('instructions per name', tally(instructions, (s) => s.name, (s) => s.ts),
    tally(rows('instruction'), (r) => r.opcode, (r) => r.timestamp));
}

function checkDma() {
  const packets = slices.filter((s) => s.up === 'DMA packets');
  const transfers = slices.filter((s) => s.up === 'DMA transfers');
  for (const [what, got, aggregated] of [['packets', packets, 'no'], ['transfers', transfers, 'yes']])
    check(what, tally(got, (s) => `${graphOf(s.top)} ${s.row}`, (s) => s.dur),
      tally(rows('dma').filter((r) => r.aggregated === aggregated),
        (r) => `${subgraph(r)} ${r.subgroup}`, (r) => r.duration));
}

/** A slice with a parent lies within it; slices of one track and depth do not overlap. */
function checkNesting() {
  const byId = new Map(slices.map((s) => [s.id, s]));
  const ends = new Map();
  let bad = 0;
  for (const s of slices) {
    const parent = s.parent === null ? null : byId.get(s.parent);
    const key = `${s.track} ${s.depth}`;
    if (parent && (s.ts < parent.ts || s.ts + s.dur > parent.ts + parent.dur)) bad++;
    if ((ends.get(key) ?? 0) > s.ts) bad++;
    ends.set(key, s.ts + s.dur);
  }
  check('slices outside their parents', bad, 0);
}

function describe(samples) {
  const values = samples.map((s) => s.value);
  return { count: values.length, min: Math.min(...values), max: Math.max(...values),
    sum: values.reduce((a, b) => a + b, 0).toPrecision(9), last: samples.at(-1).ts };
}

function group(items, keyOf, sampleOf) {
  const groups = {};
  for (const item of items) (groups[keyOf(item)] ??= []).push(sampleOf(item));
  return sorted(Object.fromEntries(Object.entries(groups).map(([k, v]) => [k, describe(v)])));
}

async function checkCounters() {
  const samples = await trace.query(`
    select c.ts, c.value, t.name, p.name core from counter c join track t on c.track_id = t.id
    join track p on t.parent_id = p.id order by c.ts, c.id`);
  const got = (name) => group(samples.filter((s) => s.name === name), (s) => graphOf(s.core), (s) => s);
  const want = (section, value, filter = () => true) => group(rows(section).filter(filter), subgraph,
    (r) => ({ ts: r.timestamp, value: value(r) }));
  check('Pending DMA', got('Pending DMA'), want('pending_dma', (r) => r.value));
  check('DMA throughput', got('DMA throughput'),
    want('dma_throughput', (r) => Math.fround(r.transfer_rate)));
  check('Throttling limit', got('Throttling limit'), want('ham', (r) => (r.n ? r.k / r.n : 0)));
  check('SBUF usage', got('SBUF usage'),
    want('instruction_usage', (r) => Math.fround(r.usage_avg), (r) => r.type === 'sb'));
  check('PSUM usage', got('PSUM usage'),
    want('instruction_usage', (r) => r.usage_avg, (r) => r.type === 'psum'));
  check('PSUM banks', got('PSUM banks'),
    want('instruction_usage', (r) => Math.round(r.usage_avg * 8), (r) => r.type === 'psum'));
  return samples;
}

/** The curve's integral is the matrix work of all MATMULs that take at least a nanosecond. */
function checkUtilisation(samples) {
  const { pe_num_rows: height, pe_num_cols: width, pe_clock_freq: ghz } = rows('metadata')[0];
  const peakPerNs = 2 * height * width * ghz;
  const matmuls = rows('instruction').filter((r) => r.label === 'TensorMatrix' && r.duration > 0);
  for (const [name, filter] of [['HFU', () => true],
    ['MFU', (r) => r.instruction_type !== 'TRANSPOSE']]) {
    const want = matmuls.filter(filter).reduce((sum, r) => sum + 2 * (r.elements ?? 0), 0);
    const last = {};
    let got = 0;
    for (const s of samples.filter((c) => c.name === name)) {
      if (last[s.core]) got += last[s.core].value * (s.ts - last[s.core].ts) * peakPerNs;
      last[s.core] = s;
    }
    check(`${name} ends at 0`, Object.values(last).every((s) => s.value === 0), true);
    check(`flops under ${name}`, Math.abs(got - want) <= 1e-6 * want, true);
  }
}

function checkPoints() {
  const label = (id) => (/^\d+$/.test(id) ? `S[${id}]` : id);
  check('semaphores', tally(slices.filter((s) => s.row === 'Semaphores'), (s) => s.name, (s) => s.ts),
    tally(rows('semaphore_update'), (r) => label(r.id), (r) => r.timestamp));
  check('notifications',
    tally(slices.filter((s) => s.row === 'Notifications'), (s) => s.name, (s) => s.ts),
    tally(rows('error'), (r) => r.description, (r) => r.timestamp));
  const facts = slices.filter((s) => s.row === 'Profile');
  check('warnings', facts.filter((s) => s.name === 'warning').length, rows('warnings').length);
  check('summary', facts.filter((s) => s.name === 'summary').length, 1);
}

async function argsOf(ids) {
  const found = new Map(ids.map((id) => [id, {}]));
  const list = await trace.query(`select arg_set_id id, key, int_value i, string_value s,
    real_value r, value_type type from args where arg_set_id in (${ids.join(',')})`);
  for (const { id, key, i, s, r, type } of list)
    found.get(id)[key.replace(/^debug\./, '')] =
      type === 'string' ? s : type === 'real' ? r : type === 'bool' ? Boolean(i) : i;
  return found;
}

const LEFT_OUT = new Set(['timestamp', 'duration', 'predecessors', 'subgraph', 'raw_framework_id']);
const isNothing = (value) => value === '' || value === '[]' || value === 0;
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/** Every field of the JSON row is an argument, or empty; ids beyond 2^53 JSON.parse has rounded. */
function compareArgs(row, args, what) {
  for (const [key, value] of Object.entries(row)) {
    if (LEFT_OUT.has(key) || (!(key in args) && isNothing(value))) continue;
    const got = args[key];
    if (typeof value === 'number' && BigInt(Math.trunc(value)) > LARGEST)
      check(`${what}.${key}`, Number(got), value);
    else check(`${what}.${key}`, got, value);
  }
}

async function checkArgs() {
  const sample = instructions.filter((_, i) => i % Math.ceil(instructions.length / 500) === 0);
  const found = await argsOf(sample.map((s) => s.args));
  const byId = new Map(rows('instruction').map((r) => [r.id, r]));
  for (const s of sample) {
    const args = found.get(s.args);
    const row = byId.get(args.id);
    check('instruction id', row !== undefined, true);
    if (row) {
      check('instruction time', [s.ts, s.dur], [row.timestamp, row.duration]);
      compareArgs(row, args, `instruction ${row.id}`);
    }
  }
}

/** An arrow comes from the latest run of each predecessor that started before. */
async function checkFlows() {
  const flows = await trace.query('select slice_out, slice_in from flow');
  if (!expectFlows) return check('flows', flows.length, 0);
  const found = await argsOf(instructions.map((s) => s.args));
  const idOf = new Map(instructions.map((s) => [s.id, found.get(s.args).id]));
  const known = new Set(flows.map((f) => `${idOf.get(f.slice_out)} ${idOf.get(f.slice_in)}`));
  const birOf = new Map(rows('instruction').map((r) => [r.id, `${subgraph(r)} ${r.bir_id}`]));
  const want = new Set();
  for (const row of rows('instruction')) {
    const latest = {};
    for (const { id } of row.predecessors ?? [])
      if (id < row.id) latest[birOf.get(id)] = Math.max(latest[birOf.get(id)] ?? 0, id);
    for (const id of Object.values(latest)) want.add(`${id} ${row.id}`);
  }
  check('flows', [...known].sort(), [...want].sort());
  check('there are flows', known.size > 0, true);
}

await checkLosses();
checkInstructions();
checkDma();
checkNesting();
checkUtilisation(await checkCounters());
checkPoints();
await checkArgs();
await checkFlows();
console.log(`${counts.checks} checks of ${slices.length} slices, ${counts.failures} failed`);
process.exit(counts.failures || !instructions.length ? 1 : 0);
