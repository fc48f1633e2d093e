import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where this package is installed, whether the code runs from sources, from what tsc wrote, or from the bundle. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("@authz/cli/package.json"));
}

/** The version of this package, like `1.2.0`. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
