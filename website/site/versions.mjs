import { readFileSync } from "node:fs";

/** The version that these pages describe, from the first package; `next` before there is a release. */
export function currentVersion() {
  const manifest = new URL("../../packages/verify/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return version === "0.0.0" ? "next" : version;
}
