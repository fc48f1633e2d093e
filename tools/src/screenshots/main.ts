/**
 * `npm run screenshots`: starts the development system, registers a company with `authz-server apply`, lets people and their agents work
 * through browsers and the command, and takes the pictures of `docs/assets/console/`. Accessibility findings are an error.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ensureDatabase,
  idpProgram,
  type LastingProgram,
  registrationProgram,
  serverEnvironment,
  serverProgram,
  signingKeyFile,
  startProgram,
} from "../parts.js";
import { createProgress } from "../../progress.mjs";
import { launchBrowser } from "../browser/launch-browser.js";
import { createAuthzCommand } from "../demo/authz-command.js";
import { serviceProgram } from "../development/programs.js";
import { loadSecrets } from "../development/secrets.js";
import { readSettings, type Settings } from "../development/settings.js";
import { createDevelopmentSystem, StoppedError } from "../development/system.js";
import { stopOnInterruption } from "../interruption.js";
import { ReadableError, reportFailure } from "../readable-error.js";
import { type Camera, createCamera } from "./camera.js";
import { companyRegistry, newServicePort, partnersRegistry } from "./company.js";
import { takeConsole, takeGermanConsole } from "./console-pictures.js";
import {
  connectBruno,
  connectDevice,
  followAda,
  refuseClara,
  signInBruno,
  takeSetUp,
  takeSignIn,
} from "./people-pictures.js";

const mostBytes = 150_000;
const mostBytesTogether = 4_200_000;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "authz-screenshots-"));
  const settings = readSettings({ ...process.env, AUTHZ_DEV_DIR: folder });
  const system = createDevelopmentSystem(settings);
  const started: Running[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(started.map((child) => child.stop()));
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  stopOnInterruption({ stop: end, kill: () => system.kill() });
  try {
    await system.start(createProgress());
    await Promise.race([takeAll(settings, started), system.broken]);
  } finally {
    await end();
  }
}

async function takeAll(settings: Settings, started: Running[]): Promise<void> {
  const folder = join(settings.root, "docs", "assets", "console");
  const secrets = await loadSecrets(settings.stateDirectory);
  // The computer's own browser, if there is one: the one from npm has no monospaced font.
  const browser = await launchBrowser();
  const authz = createAuthzCommand(settings);
  try {
    const camera = createCamera(browser, folder);
    await register(settings, await companyRegistry(settings, secrets));
    await startNewService(settings, started);
    const ada = await followAda(camera, settings, authz);
    await connectDevice(camera, settings, { page: ada, authz });
    await refuseClara(camera, settings, authz);
    const bruno = await signInBruno(camera, settings);
    await connectBruno(settings, { page: bruno, authz });
    await takeConsole(camera, bruno, settings);
    const storageState = await bruno.context().storageState();
    const german = await camera.open({ locale: "de-DE", storageState });
    await takeGermanConsole(camera, german, settings);
    await register(settings, partnersRegistry);
    await takeSignIn(camera, settings);
    await takeSetUp(camera, await startFreshServer(settings, started));
    writeFileSync(join(folder, "README.md"), galleryPage(camera.taken.map(({ file }) => file)));
    report(camera, folder);
  } finally {
    authz.remove();
    await browser.close();
  }
}

type Running = ReturnType<typeof startProgram>;

/** Starts programs and waits until each is ready. */
async function startAll(
  settings: Settings,
  programs: readonly LastingProgram[],
  started: Running[],
): Promise<void> {
  await Promise.all(
    programs.map(async (program) => {
      const child = startProgram(settings, program);
      started.push(child);
      await child.untilReady(program.readyUrl);
    }),
  );
}

/** Applies a registry, as administrators do. */
async function register(settings: Settings, registry: object): Promise<void> {
  const file = join(settings.stateDirectory, "company.json");
  writeFileSync(file, JSON.stringify(registry), { mode: 0o600 });
  const secrets = await loadSecrets(settings.stateDirectory);
  const url = `postgres://authz:${secrets.databasePassword}@127.0.0.1:${settings.ports.postgres}/authz`;
  const environment = serverEnvironment(settings, secrets, url);
  const child = startProgram(settings, registrationProgram(environment, file));
  if ((await child.exited) !== 0) throw new ReadableError(`The registration failed.\n${child.lastWords()}`);
}

/** One more contracts service, which the pictures show being registered. */
async function startNewService(settings: Settings, started: Running[]): Promise<void> {
  const own = { ...settings, ports: { ...settings.ports, express: newServicePort(settings) } };
  const keyFile = await signingKeyFile(settings.stateDirectory, "new-service");
  await startAll(own, [{ ...serviceProgram(own, "express", keyFile), key: "new-service" }], started);
}

/** A server that is not set up, with an identity provider and a database of its own. */
async function startFreshServer(settings: Settings, started: Running[]) {
  const offset = String(Number(process.env["AUTHZ_DEV_PORT_OFFSET"] || 0) + 200);
  const folder = join(settings.stateDirectory, "fresh");
  mkdirSync(folder, { mode: 0o700 });
  const fresh = readSettings({ ...process.env, AUTHZ_DEV_DIR: folder, AUTHZ_DEV_PORT_OFFSET: offset });
  const secrets = await loadSecrets(folder);
  const { postgresPassword } = await loadSecrets(settings.stateDirectory);
  const superuser = `postgres://postgres:${postgresPassword}@127.0.0.1:${settings.ports.postgres}/postgres`;
  const database = { name: "authz_fresh", password: secrets.databasePassword };
  const environment = serverEnvironment(fresh, secrets, await ensureDatabase(superuser, database));
  await startAll(fresh, [idpProgram(fresh, secrets), serverProgram(fresh, environment)], started);
  return { settings: fresh, secrets };
}

/** A page with every picture, each light or dark as its reader prefers. */
function galleryPage(files: readonly string[]): string {
  const names = new Set(files.map((file) => file.replace(/-(?:light|dark|narrow)\.png$/, "")));
  const sections = [...names].map((name) => {
    const dark = files.includes(`${name}-dark.png`)
      ? `\n  <source media="(prefers-color-scheme: dark)" srcset="${name}-dark.png">`
      : "";
    const title = name.replaceAll("-", " ");
    const wide = `<picture>${dark}\n  <img alt="${title}" src="${name}-light.png">\n</picture>\n`;
    const narrow = `${name}-narrow.png`;
    const phone = files.includes(narrow) ? `\n<img alt="${title}, 390 pixels wide" src="${narrow}">\n` : "";
    return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${wide}${phone}`;
  });
  return `# Pictures\n\nWritten by \`npm run screenshots\`, as all the pictures are.\n\n${sections.join("\n")}`;
}

/** @throws {ReadableError} A screen has accessibility findings, or pictures are larger than a repository should carry. */
function report({ taken, findings }: Camera, folder: string): void {
  const together = taken.reduce((sum, { bytes }) => sum + bytes, 0);
  process.stdout.write(`\n  ${taken.length} pictures, ${(together / 1000).toFixed(0)} kB, in ${folder}\n`);
  if (findings.length > 0) throw new ReadableError(`Not accessible:\n${findings.join("\n")}`);
  const large = taken.filter(({ bytes }) => bytes > mostBytes).map(({ file }) => file);
  if (large.length > 0 || together > mostBytesTogether)
    throw new ReadableError(
      `The pictures are too large: at most 150 kB each and 4.2 MB together.\n${large.join("\n")}`,
    );
}

main().catch((error: unknown) => {
  if (!(error instanceof StoppedError)) reportFailure(error);
});
