// SPDX-License-Identifier: Apache-2.0
// Measures how fast DuckDB writes the rows of a Parquet file: best of three COPYs from memory.
// usage: node parquet.mjs READERS FILE THREADS GROUP_ROWS OUT
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [readers, file, threads, groupRows, out] = process.argv.slice(2);
const require = createRequire(path.resolve(readers, 'package.json'));
const { DuckDBInstance } = require('@duckdb/node-api');
const db = await (await DuckDBInstance.create(':memory:', { threads })).connect();
await db.run(`create table t as select * from '${file}'`);
const rows = Number((await db.runAndReadAll('select count(*) from t')).getRows()[0][0]);
let best = Infinity;
for (let i = 0; i < 3; i++) {
  const begin = process.hrtime.bigint();
  await db.run(`copy t to '${out}' (format parquet, compression zstd, row_group_size ${groupRows})`);
  best = Math.min(best, Number(process.hrtime.bigint() - begin) / 1e9);
}
console.log(JSON.stringify({ rows_per_second: Math.round(rows / best),
  bytes_per_row: fs.statSync(out).size / rows }));
