"use strict";
const { createHash, randomBytes } = require("node:crypto");
const { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

/** So many successful runs of a command add to what is kept for it: a first one compiles other functions than a later one. */
const LEARNING_RUNS = 3;
const UNUSED_MS = 30 * 24 * 3600 * 1000;
const DIGEST_BYTES = 32;
const HEAD_BYTES = DIGEST_BYTES + 1;
const WRAPPER = "(function (exports, require, module, __filename, __dirname) {";

/**
 * Loads CommonJS files with the compiled code of earlier runs, and keeps that of this one.
 *
 * Node's own compile cache knows only what was compiled while a file was loaded, so every run compiles all the functions that it calls; and
 * Node 20 has none.
 *
 * @param {{ folder: string | undefined, command: string }} place A folder that is safe to run code from; code is kept for each command apart
 * @returns {{ load: (file: string) => unknown, keep: () => void }}
 */
function keptCode({ folder, command }) {
  const loaded = new Map();
  return { load, keep };

  function load(file) {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const kept = folder === undefined ? undefined : read(file);
    // The bundle is ASCII, and this spares looking for anything else in it.
    const source = `${WRAPPER}${readFileSync(file, "latin1")}\n})`;
    // The places that stack traces name are those in the file.
    const place = { filename: file, columnOffset: -WRAPPER.length };
    const script = new vm.Script(source, { ...place, cachedData: kept?.data });
    const runs = kept === undefined || script.cachedDataRejected === true ? 0 : kept.runs;
    const module = { exports: {} };
    const entry = { script, runs, exports: module.exports };
    loaded.set(file, entry);
    script.runInThisContext()(module.exports, requireFor(file), module, file, path.dirname(file));
    entry.exports = module.exports;
    return entry.exports;
  }

  /** Parts of the bundle lie beside it. Code that was kept has lost what it would need to import by itself, so it is done here. */
  function requireFor(file) {
    const partOf = (id) => (id.startsWith("./") ? path.join(path.dirname(file), id) : undefined);
    const find = (id) => (partOf(id) === undefined ? require(id) : load(partOf(id)));
    find.import = async (id) => (partOf(id) === undefined ? await import(id) : load(partOf(id)));
    return find;
  }

  /** Failures are ignored: the next run compiles again. */
  function keep() {
    if (folder === undefined) return;
    try {
      for (const [file, { script, runs }] of loaded)
        if (runs < LEARNING_RUNS) write(file, script.createCachedData(), runs + 1);
    } catch {
      // A full disk, for example.
    }
  }

  function read(file) {
    let text;
    try {
      text = readFileSync(pathFor(file));
    } catch {
      return undefined;
    }
    const head = text.subarray(0, HEAD_BYTES);
    const data = text.subarray(HEAD_BYTES);
    // V8 takes what it is given: half a file would end the process.
    if (!digestOf(file, head[DIGEST_BYTES], data).equals(head.subarray(0, DIGEST_BYTES))) return undefined;
    return { data, runs: head[DIGEST_BYTES] };
  }

  function write(file, data, runs) {
    for (const name of readdirSync(folder)) {
      const other = path.join(folder, name);
      if (statSync(other).mtimeMs < Date.now() - UNUSED_MS) rmSync(other, { force: true });
    }
    const target = pathFor(file);
    const partial = `${target}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      writeFileSync(partial, Buffer.concat([digestOf(file, runs, data), Buffer.of(runs), data]), {
        flag: "wx",
        mode: 0o600,
      });
      renameSync(partial, target);
    } catch {
      rmSync(partial, { force: true });
    }
  }

  function pathFor(file) {
    const program = createHash("sha256").update(`${process.version} ${process.arch} ${file}`).digest("hex");
    return path.join(folder, `${command}-${path.basename(file, ".cjs")}-${program.slice(0, 16)}`);
  }
}

/** Of what is kept, and of the file that it was compiled from. */
function digestOf(file, runs, data) {
  const { ctimeMs, size } = statSync(file);
  return createHash("sha256")
    .update(`${String(ctimeMs)} ${String(size)} ${String(runs)} `)
    .update(data)
    .digest();
}

module.exports = { keptCode };
