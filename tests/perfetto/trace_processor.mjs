// SPDX-License-Identifier: Apache-2.0
// Perfetto's own trace processor, run inside node: load a trace, ask SQL.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { pathToFileURL } from 'node:url';

const CHUNK_BYTES = 8 << 20;

// The bundle is made for a browser's worker. Each change must find its place, so that another
// release fails loudly instead of strangely.
const CHANGES = [
  ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
  ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.nxWasm,'],
  ['deferredRuntimeInitialized.then(() => {', 'this.ready = deferredRuntimeInitialized.then(() => {'],
  ['const wasmBridge = new wasm_bridge_1.WasmBridge();',
    'const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.nxBridge = wasmBridge;'],
];

function pretendToBeWorker(assets) {
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope ??= class {};
  if (!globalThis.location?.href)
    Object.defineProperty(globalThis, 'location',
      { value: { href: pathToFileURL(assets + path.sep).href }, configurable: true });
}

async function loadBridge(assets) {
  pretendToBeWorker(assets);
  globalThis.nxWasm = new Uint8Array(fs.readFileSync(path.join(assets, 'trace_processor.wasm')));
  let source = fs.readFileSync(path.join(assets, 'engine_bundle.node.js'), 'utf8');
  for (const [from, to] of CHANGES) {
    if (!source.includes(from)) throw new Error(`the bundle has no '${from}'`);
    source = source.replace(from, () => to);
  }
  vm.runInThisContext(source, { filename: 'engine_bundle.js' });
  await globalThis.nxBridge.ready;
  return globalThis.nxBridge;
}

async function makeEngine(assets) {
  const bridge = await loadBridge(assets);
  const { EngineBase } = await import(pathToFileURL(path.join(assets, 'engine.mjs')).href);
  class Engine extends EngineBase {
    mode = 'WASM';
    id = 'check';
    rpcSendRequestBytes(data) { queueMicrotask(() => bridge.onMessage({ data })); }
  }
  const engine = new Engine();
  bridge.messagePort = { postMessage: (data) => engine.onRpcResponseBytes(data) };
  bridge.appendAndLogErr = () => {};
  return engine;
}

function plain(value) {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** Loads one trace; a process can load one only. Returns { query(sql) -> rows }. */
export async function openTrace(file, assets) {
  console.warn = () => {}; // the glue remarks on fields newer than itself
  console.error = () => {};
  const engine = await makeEngine(path.resolve(assets));
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    await engine.parse(new Uint8Array(bytes.subarray(at, at + CHUNK_BYTES)));
  await engine.notifyEof();
  return {
    async query(sql) {
      const result = await engine.query(sql);
      const columns = result.columns();
      const rows = [];
      for (const it = result.iter({}); it.valid(); it.next())
        rows.push(Object.fromEntries(columns.map((c) => [c, plain(it.get(c))])));
      return rows;
    },
  };
}

/** Rows of `stats` that mean something was lost; skipped packets are only "info" to Perfetto. */
export function findLosses(trace) {
  return trace.query(`select name, idx, severity, value from stats where value > 0 and
    (severity in ('error', 'data_loss') or name like 'packet_skipped%')`);
}
