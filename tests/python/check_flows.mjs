// SPDX-License-Identifier: Apache-2.0
// Looks at the trace of a Python program as Perfetto's trace processor sees it: slices of the program,
// of the runtime and of the device, and flows that lead from a Python call to the core.
// usage: node check_flows.mjs ASSETS TRACE
import { findLosses, openTrace } from '../perfetto/trace_processor.mjs';

const [assets, traceFile] = process.argv.slice(2);
const trace = await openTrace(traceFile, assets);
const slices = await trace.query(`
  select s.id, s.name, s.ts, s.dur, t.name track from slice s join track t on s.track_id = t.id`);
const flows = await trace.query('select slice_out, slice_in from flow');

function fail(text) {
  console.log(text); // the trace processor takes console.error for itself
  process.exit(1);
}

const byId = new Map(slices.map((s) => [String(s.id), s]));
const next = new Map();
for (const { slice_out: from, slice_in: to } of flows) {
  const key = String(from);
  next.set(key, [...(next.get(key) ?? []), String(to)]);
}

// The names that flows lead to from a slice, however many arrows away.
function reached(id) {
  const seen = new Set();
  const queue = [String(id)];
  while (queue.length > 0) {
    for (const to of next.get(queue.pop()) ?? []) {
      if (!seen.has(to)) {
        seen.add(to);
        queue.push(to);
      }
    }
  }
  return new Set([...seen].map((to) => byId.get(to).name.split(' ')[0]));
}

const losses = await findLosses(trace);
if (losses.length > 0) fail(`the trace processor reports ${JSON.stringify(losses)}`);
const count = (test) => slices.filter((s) => test(s.name ?? '')).length;
const isPython = (name) => /^(__main__|jax)\./.test(name ?? '');
const python = count(isPython);
const labels = count((name) => name.startsWith('my_label'));
const runtime = count((name) => name.startsWith('nrt_execute'));
const device = count((name) => name.startsWith('nc_exec_running'));
if (python < 1 || labels !== 10 || runtime < 11 || device < 11)
  fail(`slices: ${python} of Python, ${labels} labels, ${runtime} executions, ${device} on the core`);
// An arrow leaves the innermost call.
const starts = slices.filter((s) => isPython(s.name) || s.name?.startsWith('my_label'));
const whole = starts.filter((s) => {
  const names = reached(s.id);
  return names.has('nrt_execute') && names.has('nc_exec_running');
});
const executions = slices.filter((s) => s.name?.startsWith('nrt_execute'));
const onward = executions.filter((s) => reached(s.id).has('nc_exec_running'));
if (onward.length !== executions.length)
  fail(`${onward.length} of ${executions.length} executions have a flow to the core`);
if (whole.length < executions.length)
  fail(`${whole.length} flows lead from Python to the core, not ${executions.length}`);
console.log(`${python} Python slices, ${executions.length} executions, ${whole.length} whole flows`);
process.exit(0);
