import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import type { Browser, Page } from "playwright-core";
import { findPlace, type Place, runScript } from "../../../../tests/system/whole-system.js";
import { findChromium } from "../../../../tools/src/browser/find-chromium.js";
import { launchBrowser } from "../../../../tools/src/browser/launch-browser.js";
import { loadSecrets } from "../../../../tools/src/development/secrets.js";
import { originOf, type ServiceKey } from "../../../../tools/src/development/settings.js";
import { registrationProgram, serverEnvironment } from "../../../dev/src/parts.js";
import { buildCli } from "../support/process.js";

/** The real authorization server, identity provider, services and database, a real browser, and one employee's home. */
export interface RealSystem {
  issuer: string;
  env: Record<string, string>;
  /** The address of a service's route. */
  api(service: ServiceKey): string;
  /** The address of the notes at a third party. */
  notes: string;
  /** A page of a new visitor. */
  openPage(): Promise<Page>;
  /** Rows of the server's database. */
  query(text: string): Promise<Record<string, unknown>[]>;
  /** What an administrator registers, as `authz-server apply` takes it. */
  register(registry: object): Promise<void>;
  /** Makes every token in the stored session look ended, as it does after a long night. */
  forgetTokens(): void;
  stop(): Promise<void>;
}

export async function startRealSystem(): Promise<RealSystem> {
  buildCli();
  const place = await findPlace();
  // The browser from npm, because it is on every machine. First, because without one nothing is to be left running.
  const browser = await launchBrowser(await findChromium([]));
  const script = runScript(place, "node", "tools/start.mjs");
  const stop = async (): Promise<void> => {
    await browser.close();
    script.child.kill("SIGINT");
    await script.ended;
    place.remove();
  };
  try {
    await script.untilPrinted("Ctrl-C stops");
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...parts(place, browser), stop };
}

function parts(place: Place, browser: Browser): Omit<RealSystem, "stop"> {
  const env: Record<string, string> = { TERM: "xterm", AUTHZ_TOKEN_STORE: "file" };
  for (const [name, value] of Object.entries(place.env)) if (value !== undefined) env[name] = value;
  const databaseUrl = async (): Promise<string> => {
    const { databasePassword } = await loadSecrets(place.settings.stateDirectory);
    return `postgres://authz:${databasePassword}@127.0.0.1:${String(place.settings.ports.postgres)}/authz`;
  };
  const sessionFile = join(env.HOME ?? "", ".local", "state", "authz", "session.json");
  return {
    issuer: originOf(place.settings, "server"),
    env,
    api: (service) => `${originOf(place.settings, service)}/api/contracts`,
    notes: `${originOf(place.settings, "notes")}/api/notes`,
    openPage: async () => await (await browser.newContext()).newPage(),
    register: async (registry) => {
      const secrets = await loadSecrets(place.settings.stateDirectory);
      const file = join(place.settings.stateDirectory, "more.json");
      writeFileSync(file, JSON.stringify(registry));
      const serverEnv = serverEnvironment(place.settings, secrets, await databaseUrl());
      const { command, env: programEnv } = registrationProgram(serverEnv, file);
      const [program = "", ...args] = command;
      await promisify(execFile)(program, args, { env: programEnv });
    },
    query: async (text) => {
      const client = new Client({ connectionString: await databaseUrl() });
      await client.connect();
      try {
        return (await client.query(text)).rows as Record<string, unknown>[];
      } finally {
        await client.end();
      }
    },
    forgetTokens: () => {
      const session = JSON.parse(readFileSync(sessionFile, "utf8")) as {
        accessToken: { expiresAt: number };
        serviceTokens: object;
      };
      session.accessToken.expiresAt = 0;
      session.serviceTokens = {};
      writeFileSync(sessionFile, JSON.stringify(session), { mode: 0o600 });
    },
  };
}
