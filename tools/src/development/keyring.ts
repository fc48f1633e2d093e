import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Settings } from "./settings.js";

const TIMEOUT_SECONDS = 5;

/** Writes, reads and removes one entry, as the command-line client would. */
const PROBE = `
const { Entry } = require("@napi-rs/keyring");
const entry = new Entry("authz-probe", "npm start");
entry.setPassword("probe");
const read = entry.getPassword();
entry.deletePassword();
process.exit(read === "probe" ? 0 : 1);
`;

/**
 * Whether this computer has a keyring that the command-line client can use.
 *
 * Asked in a process of its own: without a desktop session some keyrings wait for ever.
 */
export function keyringWorks(settings: Settings): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { cwd: join(settings.root, "packages/cli"), timeout: TIMEOUT_SECONDS * 1000 };
    execFile(process.execPath, ["-e", PROBE], options, (error) => resolve(error === null));
  });
}
