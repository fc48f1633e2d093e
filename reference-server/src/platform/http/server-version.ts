import { readFileSync } from "node:fs";
import { packageFolder } from "../package-folder.js";

const manifest = JSON.parse(readFileSync(new URL("package.json", packageFolder), "utf8")) as {
  readonly version: string;
};

/** The version of this server. */
export const serverVersion: string = manifest.version;
