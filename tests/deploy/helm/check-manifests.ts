/** Checks manifests against the published types of Kubernetes: unknown fields, missing ones, wrong types. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Manifest } from "./chart.js";

const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** What the compiler has to say, line by line; nothing when every manifest is right. */
export function checkManifests(manifests: readonly Manifest[]): string[] {
  // Inside node_modules, so that the types are found from there.
  const folder = mkdtempSync(join(nodeModules, ".authz-manifests-"));
  const lines = manifests.map((manifest, at) => {
    const type = `import("kubernetes-types/${moduleOf(manifest.apiVersion)}").${manifest.kind}`;
    return `export const manifest${at}: ${type} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(join(folder, "manifests.ts"), lines.join("\n"));
  const flags = "--noEmit --strict --ignoreConfig --skipLibCheck --module esnext --moduleResolution bundler";
  const { stdout } = spawnSync(
    process.execPath,
    [join(nodeModules, "typescript/bin/tsc"), ...flags.split(" "), join(folder, "manifests.ts")],
    { encoding: "utf8" },
  );
  rmSync(folder, { recursive: true });
  return stdout.split("\n").filter((line) => line.includes("error"));
}

/** `apps/v1`, `core/v1` for `v1`, `networking/v1` for `networking.k8s.io/v1`. */
function moduleOf(apiVersion: string): string {
  const [group = "", version] = apiVersion.split("/");
  return version === undefined ? `core/${group}` : `${group.split(".")[0]}/${version}`;
}
