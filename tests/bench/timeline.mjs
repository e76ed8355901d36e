// SPDX-License-Identifier: Apache-2.0
// Sends the queries of a timeline to Perfetto's trace processor and compares the results.
// usage: timeline.mjs ASSETS TRACE QUESTIONS [--no-limits]
// QUESTIONS come from bench_timeline_sql. Prints a row of the table of timeline.sh for each zoom:
// program, rows, window, ms, ms of the timeline, speed-up; separated by tabs.
// Exit code 1 if results differ or a target is missed.
import fs from 'node:fs';
import { openTrace } from '../perfetto/trace_processor.mjs';

const TIMES = 3;
const LEAST_RATIO = 50;
const [assets, traceFile, questionFile, noLimits] = process.argv.slice(2);
const { row_count: rowCount, questions } = JSON.parse(fs.readFileSync(questionFile, 'utf8'));

function fail(message) {
  process.stderr.write(`timeline.mjs: ${message}\n`);
  process.exit(1);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

// The same query as for DuckDB; bucket_idx, a table of numbers, replaces its lists.
function sqlOf(q, trackId) {
  const [from, to, length, count] = [q.from_ns, q.to_ns, q.to_ns - q.from_ns, q.buckets.length];
  return `with cut as (
      select max(ts, ${from}) - ${from} a, min(ts + dur, ${to}) - ${from} b, dur from slice
      where track_id = ${trackId} and ts < ${to} and (ts + dur > ${from} or ts = ${from})),
    placed as (select a, b, dur, ((a + 1) * ${count} - 1) / ${length} lo,
      (max(a + 1, b) * ${count} - 1) / ${length} hi from cut),
    piece as (
      select lo bucket, b - a busy, dur from placed where lo = hi
      union all
      select idx, min(b, (idx + 1) * ${length} / ${count}) - max(a, idx * ${length} / ${count}), dur
      from placed join bucket_idx on idx between lo and hi where lo < hi)
    select bucket, count(*) count, sum(busy) busy, max(dur) longest from piece group by bucket`;
}

function findDifference(q, rows) {
  const theirs = q.buckets.map(() => [0, 0, 0]);
  for (const r of rows) theirs[r.bucket] = [r.count, r.busy, r.longest];
  return q.buckets.findIndex((ours, i) => ours.some((value, k) => value !== theirs[i][k]));
}

async function ask(trace, q, trackId) {
  const times = [];
  for (let i = 0; i <= TIMES; i++) {
    const begin = performance.now();
    const rows = await trace.query(sqlOf(q, trackId));
    times.push(performance.now() - begin);
    const bucket = findDifference(q, rows);
    if (bucket >= 0)
      fail(`DIFFERENT ANSWERS: track ${q.track}, depth ${q.depth}, ` +
        `[${q.from_ns}, ${q.to_ns}), bucket ${bucket}`);
  }
  return median(times.slice(1));
}

const trace = await openTrace(traceFile, assets);
const tracks = new Map((await trace.query('select id, name from track')).map((t) => [t.name, t.id]));
const [{ slices }] = await trace.query('select count(*) slices from slice');
if (slices !== rowCount) fail(`the trace processor has ${slices} of ${rowCount} rows`);
await trace.query(`create perfetto table bucket_idx as with recursive n(idx) as
  (select 0 union all select idx + 1 from n where idx + 1 < ${questions[0].buckets.length})
  select idx from n`);

let failed = 0;
for (const zoom of new Set(questions.map((q) => q.zoom))) {
  const ours = [], theirs = [];
  for (const q of questions.filter((one) => one.zoom === zoom)) {
    ours.push(q.ms);
    theirs.push(await ask(trace, q, tracks.get(`${q.track}.${q.depth}`)));
  }
  const ratio = median(theirs) / median(ours);
  console.log(['trace processor', rowCount, zoom, median(theirs).toFixed(2), median(ours).toFixed(3),
    ratio.toFixed(0)].join('\t'));
  if (!noLimits && ratio < LEAST_RATIO) {
    console.log(`MISSED: ${LEAST_RATIO} times as fast as the trace processor`);
    failed = 1;
  }
}
console.log(`${questions.length} windows: counts, busy times and longest of the trace processor and ` +
  'of the timeline are equal');
process.exit(failed);
