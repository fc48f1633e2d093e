"use strict";
const { lstatSync, mkdirSync, realpathSync } = require("node:fs");
const path = require("node:path");

const ROOT = 0;
const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * The folder where Node keeps compiled code between runs, made when it is missing; undefined when there is no safe one.
 *
 * @param {{ env: Record<string, string | undefined>, platform: string, home: string, uid: number | undefined }} user
 * @returns {string | undefined}
 */
function compileCacheFolder(user) {
  return privateCacheFolder(user, "code");
}

/**
 * A folder for code that is run later, made when it is missing; undefined when there is no safe one.
 *
 * Its content runs unchecked, so no other user may be able to write to it or put another folder in its place: every
 * folder on the way belongs to this user or to root, and others can neither write to it nor rename what is in it.
 *
 * @param {{ env: Record<string, string | undefined>, platform: string, home: string, uid: number | undefined }} user
 * @param {string} name
 * @returns {string | undefined}
 */
function privateCacheFolder({ env, platform, home, uid }, name) {
  const local = env.XDG_CACHE_HOME || (platform === "win32" ? env.LOCALAPPDATA : undefined);
  const base = local || path.join(home, platform === "darwin" ? "Library/Caches" : ".cache");
  // On Windows the access list of the user's own folder says all this.
  if (platform === "win32") return local ? path.join(local, "authz", "cache", name) : undefined;
  if (!path.isAbsolute(base)) return undefined;
  try {
    makeMissing(base);
    const real = realpathSync.native(base);
    for (let above = real; ; above = path.dirname(above)) {
      if (!isOutOfReach(lstatSync(above), uid)) return undefined;
      if (above === path.dirname(above)) break;
    }
    const parent = path.join(real, "authz");
    const folder = path.join(parent, name);
    return isOwn(parent, uid, WRITABLE_BY_OTHERS) && isOwn(folder, uid, OPEN_TO_OTHERS) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** One level only: without a home there is no cache. */
function makeMissing(folder) {
  try {
    lstatSync(folder);
  } catch {
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** Whether no other user can replace what is in a folder. */
function isOutOfReach({ uid: owner, mode }, uid) {
  return (owner === uid || owner === ROOT) && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}

/** Whether a folder, made when it is missing, is one and no link, belongs to this user, and has none of these permissions. */
function isOwn(folder, uid, refused) {
  makeMissing(folder);
  const facts = lstatSync(folder);
  return facts.isDirectory() && facts.uid === uid && (facts.mode & refused) === 0;
}

module.exports = { compileCacheFolder, privateCacheFolder };
