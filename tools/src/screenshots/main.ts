/**
 * `npm run screenshots`: starts everything, lets something happen, and takes the pictures of `docs/assets/console/`. With `-- --all=FOLDER`,
 * every screen is taken there in light, dark, narrow and German instead. What axe finds ends it with an error either way.
 */
import { writeFileSync } from "node:fs";
import { join, resolve as resolvePath } from "node:path";
import { parseArgs } from "node:util";
import { registrationProgram, serverEnvironment, signingKeyFile, startProgram } from "@authz/dev/parts";
import { Client } from "pg";
import { createProgress } from "../../progress.mjs";
import { launchBrowser } from "../browser/launch-browser.js";
import { createAuthzCommand } from "../demo/authz-command.js";
import { serviceProgram } from "../development/programs.js";
import { type DevelopmentSecrets, loadSecrets } from "../development/secrets.js";
import type { Settings } from "../development/settings.js";
import { createDevelopmentSystem, StoppedError } from "../development/system.js";
import { stopOnInterruption } from "../interruption.js";
import { ReadableError, reportFailure } from "../readable-error.js";
import { type Camera, createCamera } from "./camera.js";
import { takeConsole, takeGermanConsole } from "./console-pictures.js";
import { type Running, startFreshServer, startPrograms } from "./fresh-server.js";
import { galleryPage } from "./gallery.js";
import { companyRegistry, newServicePort, partnersRegistry } from "./installation.js";
import {
  connectBruno,
  connectDevice,
  followAda,
  refuseClara,
  signInBruno,
  takeSignIn,
} from "./page-pictures.js";
import { livePast } from "./past.js";
import { findPlace, type Place } from "./place.js";
import { takeSetUp } from "./set-up-pictures.js";

const mostBytes = 150_000;
const mostBytesTogether = 4_200_000;

const { values } = parseArgs({ options: { all: { type: "string" } } });
const everything = values.all === undefined ? undefined : resolvePath(values.all);

async function main(): Promise<void> {
  const place = await findPlace();
  const system = createDevelopmentSystem(place.settings);
  const extras: Running[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(extras.map((extra) => extra.stop()));
    await system.stop();
    place.remove();
  };
  stopOnInterruption({ stop: end, kill: () => system.kill() });
  try {
    const progress = createProgress();
    await system.start(progress);
    await Promise.race([takeAll(place, { progress, extras }), system.broken]);
  } finally {
    await end();
  }
}

async function takeAll(
  { settings, fresh }: Place,
  { progress, extras }: { readonly progress: ReturnType<typeof createProgress>; readonly extras: Running[] },
): Promise<void> {
  const folder = everything ?? join(settings.root, "docs", "assets", "console");
  const secrets = await loadSecrets(settings.stateDirectory);
  // The computer's own browser, if there is one: the one from npm has no monospaced font.
  const browser = await launchBrowser();
  const authz = createAuthzCommand(settings);
  async function during(title: string, work: () => Promise<void>): Promise<void> {
    const step = progress.step(title);
    try {
      await work();
      step.done();
    } catch (error) {
      step.fail();
      throw error;
    }
  }
  try {
    const camera = createCamera(browser, { folder, everyLook: everything !== undefined });
    await during("A company and its past", async () => {
      await register(settings, secrets, await companyRegistry(settings, secrets));
      await livePast(databaseUrl(settings, secrets), secrets, new Date());
      extras.push(await startNewService(settings));
    });
    await during("People at work", async () => {
      const page = await followAda(camera, settings, authz);
      await connectDevice(camera, settings, { page, authz });
      await refuseClara(camera, settings, authz);
    });
    await during("The console", async () => {
      const bruno = await signInBruno(camera, settings);
      await connectBruno(settings, { page: bruno, authz });
      await untilIndexed(settings, secrets);
      await takeConsole(camera, bruno, settings);
      const storageState = await bruno.context().storageState();
      const german = await camera.open({ locale: "de-DE", storageState });
      await takeGermanConsole(camera, { page: german, settings, everyScreen: everything !== undefined });
      await register(settings, secrets, partnersRegistry);
      await takeSignIn(camera, settings);
    });
    await during("The set-up", async () => {
      const server = await startFreshServer(fresh, superuserUrl(settings, secrets));
      extras.push(server);
      await takeSetUp(camera, { settings: fresh, secrets: server.secrets });
    });
    if (everything === undefined) writeFileSync(join(folder, "README.md"), galleryPage(camera.taken));
    report(camera, folder);
  } finally {
    authz.remove();
    await browser.close();
  }
}

/** Brings the system to what a company has, with the command that administrators have for it. */
async function register(settings: Settings, secrets: DevelopmentSecrets, registry: object): Promise<void> {
  const file = join(settings.stateDirectory, "company.json");
  writeFileSync(file, JSON.stringify(registry), { mode: 0o600 });
  const environment = serverEnvironment(settings, secrets, databaseUrl(settings, secrets));
  const child = startProgram(settings, registrationProgram(environment, file));
  if ((await child.exited) !== 0) throw new ReadableError(`The registration failed.\n${child.lastWords()}`);
}

/** One more contracts service, that an administrator is about to register. */
async function startNewService(settings: Settings): Promise<Running> {
  const own = { ...settings, ports: { ...settings.ports, express: newServicePort(settings) } };
  const program = serviceProgram(
    own,
    "express",
    await signingKeyFile(settings.stateDirectory, "new-service"),
  );
  return await startPrograms(own, [{ ...program, key: "new-service" }]);
}

/** The server counts and indexes events in the background. */
async function untilIndexed(settings: Settings, secrets: DevelopmentSecrets): Promise<void> {
  const database = new Client({ connectionString: databaseUrl(settings, secrets) });
  await database.connect();
  const behind = `SELECT 1 FROM audit_index_progress
    WHERE through_event_id < (SELECT max(id) FROM audit_events WHERE at < now() - interval '5 seconds')`;
  try {
    for (let tries = 0; tries < 120; tries += 1) {
      /* oxlint-disable no-await-in-loop -- asks until it is so */
      if ((await database.query(behind)).rowCount === 0) return;
      await new Promise((resolve) => {
        setTimeout(resolve, 500);
      });
      /* oxlint-enable no-await-in-loop */
    }
    throw new ReadableError("The server did not index its audit trail within a minute.");
  } finally {
    await database.end();
  }
}

function databaseUrl({ ports }: Settings, { databasePassword }: DevelopmentSecrets): string {
  return `postgres://authz:${databasePassword}@127.0.0.1:${ports.postgres}/authz`;
}

function superuserUrl({ ports }: Settings, { postgresPassword }: DevelopmentSecrets): string {
  return `postgres://postgres:${postgresPassword}@127.0.0.1:${ports.postgres}/postgres`;
}

/** @throws {ReadableError} Somebody cannot use what is shown, or pictures are larger than a repository should carry. */
function report({ taken, findings }: Camera, folder: string): void {
  for (const { file, bytes } of taken) {
    process.stdout.write(`  ${file.padEnd(34)} ${(bytes / 1000).toFixed(0).padStart(4)} kB\n`);
  }
  const together = taken.reduce((sum, { bytes }) => sum + bytes, 0);
  process.stdout.write(`\n  ${taken.length} pictures, ${(together / 1000).toFixed(0)} kB, in ${folder}\n`);
  if (findings.length > 0) throw new ReadableError(`Not accessible:\n${findings.join("\n")}`);
  if (everything !== undefined) return;
  const large = taken.filter(({ bytes }) => bytes > mostBytes).map(({ file }) => file);
  if (large.length > 0 || together > mostBytesTogether) {
    throw new ReadableError(
      `The pictures are too large: at most 150 kB each and 4.2 MB together.\n${large.join("\n")}`,
    );
  }
}

main().catch((error: unknown) => {
  if (!(error instanceof StoppedError)) reportFailure(error);
});
