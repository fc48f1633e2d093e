import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder that everything temporary of one run of the tests is in. */
export interface RunFolder {
  readonly path: string;
  /** Removes it with all that is in it, also after failures. */
  remove(): void;
}

export function makeRunFolder(): RunFolder {
  const path = mkdtempSync(join(tmpdir(), "authz-test-run-"));
  // PostgreSQL and the images' programs run as other accounts and must be able to walk through it.
  chmodSync(path, 0o711);
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
