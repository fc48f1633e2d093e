/**
 * Stands for `@napi-rs/keyring` in the standalone program, which has the native module inside. The operating system loads such a module from
 * a file only, so it is written where only this user can change it, and read again before it is used.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getAsset } from "node:sea";
import { privateCacheFolder } from "../../bin/compile-cache.js";

type Keyring = typeof import("@napi-rs/keyring");

export const AsyncEntry: Keyring["AsyncEntry"] = (loadInside("keyring.node") as Keyring).AsyncEntry;

function loadInside(name: string): unknown {
  const content = Buffer.from(getAsset(name));
  const { env, platform } = process;
  const folder = privateCacheFolder({ env, platform, home: homedir(), uid: process.getuid?.() }, "native");
  if (folder === undefined)
    throw new Error("Its module has no place: the folder for caches can be changed by others.");
  const path = join(folder, `${createHash("sha256").update(content).digest("hex")}-${name}`);
  if (!hasContent(path, content)) write(path, content);
  const loaded = { exports: {} };
  process.dlopen(loaded, path);
  return loaded.exports;
}

function hasContent(path: string, content: Buffer): boolean {
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false;
  }
}

/** In one step, because other commands may start at the same time. */
function write(path: string, content: Buffer): void {
  const partial = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  mkdirSync(join(path, ".."), { recursive: true });
  try {
    writeFileSync(partial, content, { flag: "wx", mode: 0o500 });
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    // On Windows a module that is loaded cannot be replaced. Then it is there.
    if (!hasContent(path, content)) throw error;
  }
}
