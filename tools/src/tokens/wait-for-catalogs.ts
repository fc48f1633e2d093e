import { setTimeout as delay } from "node:timers/promises";
import type { AuthzCommand } from "../demo/authz-command.js";
import { ReadableError } from "../readable-error.js";

/** A catalog whose service was not there yet is asked for again after half of this time. */
const MOST_SECONDS = 60;

/**
 * Waits until all skills are fresh: after a long pause the first list says how old they are, which is not what is measured.
 *
 * @throws {ReadableError} They do not become so.
 */
export async function waitForCatalogs(authz: AuthzCommand): Promise<void> {
  const ends = Date.now() + MOST_SECONDS * 1000;
  while (!areFresh(await authz.run(["skills"]))) {
    if (Date.now() > ends) throw new ReadableError("The skills of the services do not become fresh.");
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await delay(2000);
  }
}

function areFresh(list: unknown): boolean {
  return (
    typeof list === "object" &&
    list !== null &&
    "incomplete" in list &&
    Array.isArray(list.incomplete) &&
    list.incomplete.length === 0
  );
}
