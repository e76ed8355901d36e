// SPDX-License-Identifier: Apache-2.0
// Reads a trace with Perfetto's trace processor and prints the number of slices.
// usage: import.mjs ASSETS TRACE
import { openTrace } from '../perfetto/trace_processor.mjs';

const [, , assets, file] = process.argv;
const trace = await openTrace(file, assets);
const [{ slices }] = await trace.query('select count(*) slices from slice');
console.log(slices);
process.exit(0);
