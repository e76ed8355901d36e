// SPDX-License-Identifier: Apache-2.0
// Reads every FOLDER/*.parquet with readers that know nothing of us and compares all values, and
// the statistics, with the JSON lines beside it.
// usage: node check.mjs READERS FOLDER      READERS has the node_modules of fetch.sh
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [readers, folder] = process.argv.slice(2).map((p) => path.resolve(p));
const require = createRequire(path.join(readers, 'package.json'));
const hyparquet = await importFrom('hyparquet', 'hyparquet/src/node.js');
const { compressors } = await importFrom('hyparquet-compressors');
const { tableFromIPC } = require('apache-arrow');
const parquetWasm = require('parquet-wasm');
const { DuckDBInstance } = require('@duckdb/node-api');

const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
let checks = 0;
let failures = 0;

// Packages of modules only cannot be required; their entry is looked up by hand.
async function importFrom(name, file) {
  const root = path.join(readers, 'node_modules', name);
  const { exports: doors, main } = JSON.parse(fs.readFileSync(path.join(root, 'package.json')));
  const door = doors?.['.'] ?? main;
  const entry = file ? path.join(readers, 'node_modules', file)
    : path.join(root, typeof door === 'string' ? door : door.import ?? door.default);
  return import(pathToFileURL(entry));
}

function check(what, got, want) {
  checks++;
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a === b) return;
  failures++;
  console.log(`not ok: ${what}\n  read    ${String(a).slice(0, 300)}\n  written ${String(b).slice(0, 300)}`);
}

const view = new DataView(new ArrayBuffer(8));
const NAN = 'NaN';
const isNan = (hex) => /^[7f]ff[8-f]/.test(hex);

/** A value as the lines have it; NaNs are one, readers may change their bits. */
function plain(value, type) {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint' || type === 'INTEGER') return String(value);
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return NAN;
    view.setFloat64(0, value);
    return view.getBigUint64(0).toString(16).padStart(16, '0');
  }
  if (typeof value === 'object') return Array.from(value.items ?? value, (v) => plain(v));
  return value;
}

const withoutNanBits = (value, isDouble) => (Array.isArray(value)
  ? value.map((v) => withoutNanBits(v, isDouble))
  : isDouble && typeof value === 'string' && isNan(value) ? NAN : value);

function compareRows(what, columns, rows, want) {
  check(`${what}: rows`, rows.length, want.length);
  for (const { name, type } of columns)
    for (let i = 0; i < want.length; i++) {
      const got = JSON.stringify(plain(rows[i]?.[name], type));
      if (got === JSON.stringify(want[i][name])) {
        checks++;
      } else {
        check(`${what}: ${name} in row ${i}`, plain(rows[i]?.[name], type), want[i][name]);
        break;
      }
    }
}

const readers_ = {
  async hyparquet(file) {
    const buffer = fs.readFileSync(file);
    const bytes = buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length);
    return hyparquet.parquetReadObjects({ file: bytes, compressors });
  },
  async arrow(file) {
    const table = tableFromIPC(parquetWasm.readParquet(fs.readFileSync(file)).intoIPCStream());
    return table.toArray().map((row) => row.toJSON());
  },
  async duckdb(file) {
    return (await duckdb.runAndReadAll(`select * from '${file}'`)).getRowObjects();
  },
};

const query = async (sql) => (await duckdb.runAndReadAll(sql)).getRowObjects();

function spread(values) {
  let [low, high] = [values[0], values[0]];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return values.length ? [String(low), String(high)] : [null, null];
}

/** As DuckDB tells them: none that is infinite. */
function floatBounds(values) {
  return spread(values.map((hex) => Buffer.from(hex, 'hex').readDoubleBE()))
    .map((bound) => (Number.isFinite(Number(bound)) ? Number(bound) : null));
}

/** Minimum, maximum, nulls and distinct values of every group, against the rows themselves. */
async function checkStatistics(name, file, fields, want) {
  const chunks = await query(`select row_group_id g, row_group_num_rows n, path_in_schema path,
    stats_null_count absent, stats_distinct_count distincts, stats_min_value low,
    stats_max_value high from parquet_metadata('${file}') order by g, column_id`);
  const starts = [];
  for (const c of chunks) starts[Number(c.g) + 1] ??= (starts[Number(c.g)] ?? 0) + Number(c.n);
  for (const c of chunks) {
    const from = starts[Number(c.g)] ?? 0;
    const field = fields.find((f) => f.name === c.path);
    if (!field) continue; // a list
    const values = want.slice(from, from + Number(c.n)).map((row) => row[field.name]);
    const present = values.filter((v) => v !== null);
    const what = `${name}: group ${c.g}, ${c.path}`;
    check(`${what}: nulls`, Number(c.absent), values.length - present.length);
    if (c.distincts !== null)
      check(`${what}: distinct`, Number(c.distincts), new Set(present).size);
    if (field.type === 'BIGINT' || field.type === 'INTEGER')
      check(`${what}: range`, [c.low, c.high], spread(present.map(BigInt)));
    else if (/^(DOUBLE|FLOAT)$/.test(field.type) && present.includes(NAN))
      check(`${what}: no range beside NaN`, [c.low, c.high], [null, null]);
    else if (field.type === 'FLOAT' && present.length)
      check(`${what}: bounds`, [c.low, c.high].map((b) => b && Math.fround(b)),
        floatBounds(present));
    else if (field.type === 'VARCHAR' && present.length)
      check(`${what}: bounds`, present.every((v) => c.low === null || (
        Buffer.compare(Buffer.from(v), Buffer.from(c.low)) >= 0 &&
        Buffer.compare(Buffer.from(v), Buffer.from(c.high)) <= 0)), true);
  }
}

async function checkFile(name) {
  const file = path.join(folder, `${name}.parquet`);
  const fields = (await query(`describe select * from '${file}'`))
    .map((f) => ({ name: f.column_name, type: f.column_type }));
  const doubles = new Set(fields.filter((f) => /^(DOUBLE|FLOAT)/.test(f.type)).map((f) => f.name));
  const want = fs.readFileSync(path.join(folder, `${name}.jsonl`), 'utf8').split('\n')
    .filter(Boolean).map((line) => JSON.parse(line));
  for (const row of want)
    for (const column of doubles) row[column] = withoutNanBits(row[column], true);
  for (const [reader, read] of Object.entries(readers_))
    compareRows(`${name}, ${reader}`, fields, await read(file), want);
  await checkStatistics(name, file, fields, want);
  const pairs = await query(`select decode(key) k, decode(value) v
    from parquet_kv_metadata('${file}')`);
  check(`${name}: metadata`, pairs, [{ k: 'table', v: name }, { k: 'unicode', v: 'grüß' }]);
  return want;
}

/** A number of the lines for SQL: 16 hex digits are a double. */
const number = (text) => (/^[0-9a-f]{16}$/.test(text) ? Buffer.from(text, 'hex').readDoubleBE() : text);

/** With every other group destroyed, a filter still answers: it never looked at them. */
async function checkPruning(table, column, rows) {
  const source = path.join(folder, `${table}.parquet`);
  const broken = path.join(folder, 'broken.parquet');
  const bytes = fs.readFileSync(source);
  const kept = 4;
  const extents = await query(`select row_group_id g, min(coalesce(dictionary_page_offset,
    data_page_offset)) as start, sum(total_compressed_size) len
    from parquet_metadata('${source}') group by g`);
  for (const { g, start, len } of extents)
    if (Number(g) !== kept) bytes.fill(0xff, Number(start), Number(start) + Number(len));
  fs.writeFileSync(broken, bytes);
  const size = rows.length / extents.length;
  const wanted = rows.slice(kept * size + 10, (kept + 1) * size - 10);
  const [{ n, s }] = await query(`select count(*) n, sum(big)::varchar s from '${broken}'
    where ${column} between ${number(wanted[0][column])} and ${number(wanted.at(-1)[column])}`);
  check(`${table} by ${column}: pruned rows`, Number(n), wanted.length);
  check(`${table} by ${column}: pruned sum`, s, String(wanted.reduce((sum, r) => sum + BigInt(r.big), 0n)));
  const failed = await query(`select sum(big) from '${broken}'`).then(() => false, () => true);
  check('the other groups really are broken', failed, true);
}

/** A text column prunes as well, and NaN is found although no range tells of it. */
async function checkFilters() {
  const count = async (table, where) => Number((await query(
    `select count(*) n from '${path.join(folder, table)}.parquet' where ${where}`))[0].n);
  check('names', await count('sorted', "name between 'name 000100' and 'name 000104'"), 50);
  check('NaN', await count('numbers', "nan > 1e300"), 100);
  check('zeros', await count('numbers', "zeros = 0"), 1000);
  check('NaN of floats', await count('narrow_pages', "nan > 1e38::float"), 100);
  check('zeros of floats', await count('narrow_pages', "zeros = 0"), 1000);
  check('ranks', await count('narrow_sorted', "rank between -10 and -9"), 6);
  check('long texts', await count('large_texts', `prefix = '${'59'.padStart(80, '0')}🚀'`), 1);
}

async function checkOrder() {
  const buffer = fs.readFileSync(path.join(folder, 'sorted.parquet'));
  const metadata = hyparquet.parquetMetadata(buffer.buffer.slice(buffer.byteOffset,
    buffer.byteOffset + buffer.length));
  check('sorted by', metadata.row_groups.map((g) => [g.sorting_columns[0].column_idx,
    g.sorting_columns[0].descending]), metadata.row_groups.map(() => [0, false]));
}

const written = {};
for (const file of fs.readdirSync(folder).filter((f) => f.endsWith('.jsonl')).sort()) {
  const name = file.replace('.jsonl', '');
  written[name] = await checkFile(name);
}
await checkPruning('sorted', 'start_ts', written.sorted);
await checkPruning('narrow_sorted', 'score', written.narrow_sorted);
await checkFilters();
await checkOrder();
console.log(`${checks} checks of ${Object.keys(written).length} tables, ${failures} failed`);
process.exit(failures || Object.keys(written).length < 16 ? 1 : 0);
