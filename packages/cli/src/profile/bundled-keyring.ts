/**
 * Stands for `@napi-rs/keyring` in the bundle. That package looks for its native module in many places, which takes longer than a question
 * to the keyring; where it can only be in one, it is loaded from there.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

type Keyring = typeof import("@napi-rs/keyring");

const keyringPackage = "@napi-rs/keyring";

export const AsyncEntry: Keyring["AsyncEntry"] = load().AsyncEntry;

function load(): Keyring {
  const require = createRequire(import.meta.url);
  try {
    if (process.platform === "linux" && !readFileSync("/usr/bin/ldd", "latin1").includes("musl"))
      return createRequire(require.resolve(keyringPackage))(
        `${keyringPackage}-linux-${process.arch}-gnu`,
      ) as Keyring;
  } catch {
    // It is somewhere else, or nowhere, which the package says better.
  }
  return require(keyringPackage) as Keyring;
}
