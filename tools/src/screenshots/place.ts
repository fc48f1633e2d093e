import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings, type Settings } from "../development/settings.js";
import { isPortFree } from "../network/ports.js";
import { ReadableError } from "../readable-error.js";

/** Where a system runs that is thrown away afterwards. */
export interface Place {
  readonly settings: Settings;
  /** A second set of ports, for a server that nobody has set up. */
  readonly fresh: Settings;
  remove(): void;
}

/** The usual ports come first: pictures then show the addresses that `npm start` prints. */
const offsets = [0, 4000, 5000, 6000, 7000, 8000];
/** From a set of ports to the second one. */
const distance = 200;

/** @throws {ReadableError} Every set of ports is taken. */
export async function findPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "authz-screenshots-"));
  for (const offset of offsets) {
    const settings = settingsAt(folder, offset);
    const fresh = settingsAt(join(folder, "fresh"), offset + distance);
    const ports = [...Object.values(settings.ports), ...Object.values(fresh.ports)];
    // oxlint-disable-next-line no-await-in-loop -- the next set only when this one is taken
    if ((await Promise.all(ports.map(isPortFree))).every(Boolean)) {
      return { settings, fresh, remove: () => rmSync(folder, { recursive: true, force: true }) };
    }
  }
  rmSync(folder, { recursive: true, force: true });
  throw new ReadableError(
    "No set of ports is free.\nStop a system that runs on this computer, then try again.",
  );
}

function settingsAt(folder: string, offset: number): Settings {
  return readSettings({ ...process.env, AUTHZ_DEV_DIR: folder, AUTHZ_DEV_PORT_OFFSET: String(offset) });
}
