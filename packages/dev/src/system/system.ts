import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "../../progress.mjs";
import { ensureDatabase } from "../postgres/database.js";
import { runPostgres } from "../postgres/run-postgres.js";
import { ReadableError } from "../readable-error.js";
import { completeRegistry, writeBaseRegistry } from "./complete-registry.js";
import { applyRegistryOnce } from "./applied-registry.js";
import { openLogFile } from "./log-file.js";
import { assertPortsAreFree, type PortUse, systemPortUses } from "./ports-in-use.js";
import { startProgram } from "./program-process.js";
import {
  addressProgram,
  idpProgram,
  type LastingProgram,
  type Program,
  registrationProgram,
  serverEnvironment,
  serverProgram,
} from "./programs.js";
import type { Registry } from "./registry.js";
import { findRunning, forgetRunning, recordRunning } from "./running-record.js";
import { type DevelopmentSecrets, loadSecrets } from "./secrets.js";
import { type SystemSettings, systemOrigin } from "./settings.js";
import { prepareStateDirectory } from "./state-directory.js";

/** What one development system has beside database, identity provider and authorization server. */
export interface SystemPlan {
  /** Programs that know nothing of the authorization server. They start together with the identity provider. */
  readonly companions: readonly LastingProgram[];
  /** Programs that need the authorization server. */
  readonly services: readonly LastingProgram[];
  /** The registration of everything, without services that are registered while the system runs. */
  readonly registry: Registry;
}

export interface SystemOptions<Name extends string> {
  readonly settings: SystemSettings;
  /** Secrets that the plan needs beside those of every system. */
  readonly secretNames?: readonly Name[];
  readonly plan: (
    secrets: DevelopmentSecrets & Readonly<Record<Name, string>>,
  ) => SystemPlan | Promise<SystemPlan>;
  /** Ports that the programs of the plan need. */
  readonly portUses?: readonly PortUse[];
  /** What to do about a port that is taken, in a sentence. */
  readonly portRemedy: string;
}

/** A whole system on this computer: database, identity provider, authorization server, and what the plan adds. */
export interface DevelopmentSystem {
  /**
   * Starts everything in order and registers it. What was started is stopped again when something fails.
   *
   * @throws {ReadableError} Something cannot start.
   * @throws {StoppedError} `stop` was called meanwhile.
   */
  start(progress: Progress): Promise<void>;
  /** Rejects with a {@link ReadableError} when a part ends that nobody asked to end. */
  readonly broken: Promise<never>;
  /** Stops everything, the database last. Can be called at any time, and more than once. */
  stop(): Promise<void>;
  /** Ends everything at once. */
  kill(): void;
}

/** The start was given up because somebody asked the system to stop. Not a failure. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
}

interface Part {
  stop(): Promise<void>;
  kill(): void;
}

export function createDevelopmentSystem<Name extends string = never>(
  options: SystemOptions<Name>,
): DevelopmentSystem {
  const { settings } = options;
  /** In the order of their start. The parts of one group stop together. */
  const groups: Part[][] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let claimed = false;
  let breakDown: (error: Error) => void;
  const broken = new Promise<never>((_, reject) => {
    breakDown = reject;
  });
  // Whoever only starts and stops the system need not listen.
  broken.catch(() => undefined);

  async function watch(title: string, exited: Promise<number>, lastWords: () => string): Promise<void> {
    const code = await exited;
    if (stopping === undefined) {
      breakDown(new ReadableError(`${title} stopped unexpectedly (exit code ${code}).\n${lastWords()}`));
    }
  }

  async function startPostgres(secrets: DevelopmentSecrets): Promise<string> {
    const log = openLogFile(settings.stateDirectory, "postgres");
    const postgres = await runPostgres({
      dataDirectory: join(settings.stateDirectory, "postgres"),
      password: secrets.postgresPassword,
      port: settings.ports.postgres,
      onLog: (line) => log.write(line),
    });
    groups.push([postgres]);
    void watch("PostgreSQL", postgres.exited, () => `Its log: ${log.path}`);
    return ensureDatabase(postgres.url, { name: "authz", password: secrets.databasePassword });
  }

  async function startPrograms(...programs: readonly LastingProgram[]): Promise<void> {
    const group: Part[] = [];
    groups.push(group);
    await Promise.all(
      programs.map(async (program) => {
        const child = startProgram(settings, program);
        group.push(child);
        await child.untilReady(program.readyUrl);
        void watch(program.title, child.exited, () => child.lastWords());
      }),
    );
  }

  /** The same registry as at the last start is in the database already. */
  async function register(serverEnv: NodeJS.ProcessEnv, registry: Registry): Promise<void> {
    const file = join(settings.stateDirectory, "registry.json");
    writeBaseRegistry(settings.stateDirectory, registry);
    const text = completeRegistry(settings.stateDirectory);
    writeFileSync(file, text, { mode: 0o600 });
    await applyRegistryOnce(settings, text, () => runToItsEnd(registrationProgram(serverEnv, file)));
  }

  /** Other ports than the last time are another address, which the server takes for a mistake unless it is told. */
  async function acceptAddress(serverEnv: NodeJS.ProcessEnv): Promise<void> {
    const file = join(settings.stateDirectory, "address");
    const address = systemOrigin(settings, "server");
    if (existsSync(file) && readFileSync(file, "utf8") !== address)
      await runToItsEnd(addressProgram(serverEnv));
    writeFileSync(file, address, { mode: 0o600 });
  }

  async function runToItsEnd(program: Program): Promise<void> {
    const child = startProgram(settings, program);
    groups.push([child]);
    const code = await child.exited;
    if (code !== 0) {
      throw new ReadableError(`${program.title} failed (exit code ${code}).\n${child.lastWords()}`);
    }
  }

  async function startAll(progress: Progress): Promise<void> {
    await assertNothingIsInTheWay(options);
    recordRunning(settings, { ready: false });
    claimed = true;
    const secrets = await loadSecrets(settings.stateDirectory, options.secretNames);
    const plan = await options.plan(secrets);
    const { companions, services } = plan;
    const providers = [idpProgram(settings, secrets), ...companions];
    const databaseUrl = await during(progress, "PostgreSQL 16, identity provider", () =>
      startBoth(startPostgres(secrets), startPrograms(...providers)),
    );
    const serverEnv = serverEnvironment(settings, secrets, databaseUrl);
    await during(progress, "Authorization server", async () => {
      await acceptAddress(serverEnv);
      await startPrograms(serverProgram(settings, serverEnv));
    });
    if (services.length > 0) {
      await during(progress, titleOf(services), () => startPrograms(...services));
    }
    await during(progress, "Registration", () => register(serverEnv, plan.registry));
    recordRunning(settings, { ready: true });
  }

  /** One step of the start. None begins once the system is being stopped. */
  async function during<T>(progress: Progress, title: string, work: () => Promise<T>): Promise<T> {
    if (stopping !== undefined) {
      throw new StoppedError();
    }
    const step = progress.step(title);
    try {
      const result = await Promise.race([work(), broken]);
      step.done();
      return result;
    } catch (error) {
      step.fail();
      throw stopping === undefined ? error : new StoppedError();
    }
  }

  async function stopGroups(): Promise<void> {
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      await Promise.all(group.map((part) => part.stop()));
    }
  }

  async function stopAll(): Promise<void> {
    await stopGroups();
    // A step that was under way may have started one more part.
    await starting?.catch(() => undefined);
    await stopGroups();
    if (claimed) {
      forgetRunning(settings.stateDirectory);
    }
  }

  function stop(): Promise<void> {
    stopping ??= stopAll();
    return stopping;
  }

  return {
    broken,
    stop,
    async start(progress) {
      starting = startAll(progress);
      try {
        await starting;
      } catch (error) {
        await stop();
        throw error;
      }
    },
    kill() {
      for (const part of groups.flat()) {
        part.kill();
      }
    },
  };
}

function titleOf(services: readonly LastingProgram[]): string {
  return services.length === 1 ? (services[0]?.title ?? "") : `${services.length} services`;
}

/** Fails only when both have ended: what still starts then could not be stopped. */
async function startBoth<T>(database: Promise<T>, programs: Promise<void>): Promise<T> {
  await Promise.allSettled([database, programs]);
  await programs;
  return database;
}

async function assertNothingIsInTheWay({
  settings,
  portUses = [],
  portRemedy,
}: Pick<SystemOptions<never>, "settings" | "portUses" | "portRemedy">): Promise<void> {
  const running = findRunning(settings.stateDirectory);
  if (running !== undefined) {
    throw new ReadableError(
      `The system is already running from this folder (process ${running.pid}).\nStop it with Ctrl-C in its terminal, or with: kill ${running.pid}`,
    );
  }
  await assertPortsAreFree([...systemPortUses(settings), ...portUses], portRemedy);
  prepareStateDirectory(settings.stateDirectory);
}
