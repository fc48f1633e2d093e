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
  /** Rejects with a {@link ReadableError} when a part ends while the system runs. */
  readonly broken: Promise<never>;
  /** Stops everything, the database last. Can be called at any time, and more than once. */
  stop(): Promise<void>;
  /** Ends everything at once. */
  kill(): void;
}

/** The start ended because the system was asked to stop. Not a failure. */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
}

interface Part {
  stop(): Promise<void>;
  kill(): void;
}

/** Makes the system that the plan describes; nothing starts yet. */
export function createDevelopmentSystem<Name extends string = never>(
  options: SystemOptions<Name>,
): DevelopmentSystem {
  return new PlannedSystem(options);
}

class PlannedSystem<Name extends string> implements DevelopmentSystem {
  readonly broken: Promise<never>;
  readonly #options: SystemOptions<Name>;
  /** In the order of their start. The parts of one group stop together. */
  readonly #groups: Part[][] = [];
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #isClaimed = false;
  #breakDown: (error: Error) => void = () => undefined;

  constructor(options: SystemOptions<Name>) {
    this.#options = options;
    this.broken = new Promise<never>((_, reject) => {
      this.#breakDown = reject;
    });
    // Callers that only start and stop the system need not listen.
    this.broken.catch(() => undefined);
  }

  async start(progress: Progress): Promise<void> {
    this.#starting = this.#startAll(progress);
    try {
      await this.#starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  kill(): void {
    for (const part of this.#groups.flat()) part.kill();
  }

  async #startAll(progress: Progress): Promise<void> {
    const { settings } = this.#options;
    await assertNothingIsInTheWay(this.#options);
    recordRunning(settings, { ready: false });
    this.#isClaimed = true;
    const secrets = await loadSecrets(settings.stateDirectory, this.#options.secretNames);
    const plan = await this.#options.plan(secrets);
    const { companions, services } = plan;
    const providers = [idpProgram(settings, secrets), ...companions];
    const databaseUrl = await this.#during(progress, "PostgreSQL 16, identity provider", () =>
      startBoth(this.#startPostgres(secrets), this.#startPrograms(...providers)),
    );
    const serverEnv = serverEnvironment(settings, secrets, databaseUrl);
    await this.#during(progress, "Authorization server", async () => {
      await this.#acceptAddress(serverEnv);
      await this.#startPrograms(serverProgram(settings, serverEnv));
    });
    if (services.length > 0) {
      await this.#during(progress, titleOf(services), () => this.#startPrograms(...services));
    }
    await this.#during(progress, "Registration", () => this.#register(serverEnv, plan.registry));
    recordRunning(settings, { ready: true });
  }

  /** One step of the start. None begins once the system is being stopped. */
  async #during<T>(progress: Progress, title: string, work: () => Promise<T>): Promise<T> {
    if (this.#stopping !== undefined) {
      throw new StoppedError();
    }
    const step = progress.step(title);
    try {
      const result = await Promise.race([work(), this.broken]);
      step.done();
      return result;
    } catch (error) {
      step.fail();
      throw this.#stopping === undefined ? error : new StoppedError();
    }
  }

  async #startPostgres(secrets: DevelopmentSecrets): Promise<string> {
    const { settings } = this.#options;
    const log = openLogFile(settings.stateDirectory, "postgres");
    const postgres = await runPostgres({
      dataDirectory: join(settings.stateDirectory, "postgres"),
      password: secrets.postgresPassword,
      port: settings.ports.postgres,
      onLog: (line) => log.write(line),
    });
    this.#groups.push([postgres]);
    void this.#watch("PostgreSQL", postgres.exited, () => `Its log: ${log.path}`);
    return ensureDatabase(postgres.url, { name: "authz", password: secrets.databasePassword });
  }

  async #startPrograms(...programs: readonly LastingProgram[]): Promise<void> {
    const { settings } = this.#options;
    const group: Part[] = [];
    this.#groups.push(group);
    await Promise.all(
      programs.map(async (program) => {
        const child = startProgram(settings, program);
        group.push(child);
        await child.untilReady(program.readyUrl);
        void this.#watch(program.title, child.exited, () => child.lastWords());
      }),
    );
  }

  /** The same registry as at the last start is in the database already. */
  async #register(serverEnv: NodeJS.ProcessEnv, registry: Registry): Promise<void> {
    const { settings } = this.#options;
    const file = join(settings.stateDirectory, "registry.json");
    writeBaseRegistry(settings.stateDirectory, registry);
    const text = completeRegistry(settings.stateDirectory);
    writeFileSync(file, text, { mode: 0o600 });
    await applyRegistryOnce(settings, text, () => this.#runToItsEnd(registrationProgram(serverEnv, file)));
  }

  /** Other ports than the last time are another address, which the server takes for a mistake unless it is changed on purpose. */
  async #acceptAddress(serverEnv: NodeJS.ProcessEnv): Promise<void> {
    const { settings } = this.#options;
    const file = join(settings.stateDirectory, "address");
    const address = systemOrigin(settings, "server");
    if (existsSync(file) && readFileSync(file, "utf8") !== address)
      await this.#runToItsEnd(addressProgram(serverEnv));
    writeFileSync(file, address, { mode: 0o600 });
  }

  async #runToItsEnd(program: Program): Promise<void> {
    const { settings } = this.#options;
    const child = startProgram(settings, program);
    this.#groups.push([child]);
    const code = await child.exited;
    if (code !== 0) {
      throw new ReadableError(`${program.title} failed (exit code ${code}).\n${child.lastWords()}`);
    }
  }

  async #watch(title: string, exited: Promise<number>, lastWords: () => string): Promise<void> {
    const code = await exited;
    if (this.#stopping === undefined) {
      this.#breakDown(
        new ReadableError(`${title} stopped unexpectedly (exit code ${code}).\n${lastWords()}`),
      );
    }
  }

  async #stopAll(): Promise<void> {
    const { settings } = this.#options;
    await this.#stopGroups();
    // A step that was under way may have started one more part.
    await this.#starting?.catch(() => undefined);
    await this.#stopGroups();
    if (this.#isClaimed) {
      forgetRunning(settings.stateDirectory);
    }
  }

  async #stopGroups(): Promise<void> {
    for (let group = this.#groups.pop(); group !== undefined; group = this.#groups.pop()) {
      await Promise.all(group.map((part) => part.stop()));
    }
  }
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
