import { mkdirSync } from "node:fs";
import {
  ensureDatabase,
  idpProgram,
  type LastingProgram,
  serverEnvironment,
  serverProgram,
  startProgram,
} from "@authz/dev/parts";
import { type DevelopmentSecrets, loadSecrets } from "../development/secrets.js";
import type { Settings } from "../development/settings.js";

/** Programs of one moment; they end together. */
export interface Running {
  stop(): Promise<void>;
}

/** A server that nobody has set up, with an identity provider of its own, in the database server that runs already. */
export async function startFreshServer(
  settings: Settings,
  superuserUrl: string,
): Promise<Running & { readonly secrets: DevelopmentSecrets }> {
  mkdirSync(settings.stateDirectory, { recursive: true, mode: 0o700 });
  const secrets = await loadSecrets(settings.stateDirectory);
  const database = { name: "authz_fresh", password: secrets.databasePassword };
  const environment = serverEnvironment(settings, secrets, await ensureDatabase(superuserUrl, database));
  const running = await startPrograms(settings, [
    idpProgram(settings, secrets),
    serverProgram(settings, environment),
  ]);
  return { ...running, secrets };
}

/** Starts programs and waits until each is ready. */
export async function startPrograms(
  settings: Settings,
  programs: readonly LastingProgram[],
): Promise<Running> {
  const started = programs.map((program) => ({ program, child: startProgram(settings, program) }));
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(({ child }) => child.stop()));
  };
  try {
    await Promise.all(started.map(({ program, child }) => child.untilReady(program.readyUrl)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
