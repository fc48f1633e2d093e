import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { vi } from "vitest";
import { findFreePort } from "../../../tools/src/network/ports.js";
import { type LocalRegistry, publishEverything } from "../../packaging/registry.js";
import { EmptyComputer, end } from "../empty-computer.js";
import { codeBlocks } from "../markdown.js";
import { typeBlock } from "../printed-blocks.js";
import { type Typed, typeAs } from "../terminal.js";

interface Ports {
  readonly server: number;
  readonly idp: number;
  readonly postgres: number;
}

interface Service {
  readonly origin: string;
  readonly process: ChildProcess;
}

/** A registry with our packages, and an unprivileged user's computer that runs the development system. */
export class World {
  readonly registry: LocalRegistry;
  readonly computer: EmptyComputer;
  readonly ports: Ports;
  readonly issuer: string;
  /** Running services by the page that starts them. */
  readonly services = new Map<string, Service>();
  readonly #started: ChildProcess[] = [];
  #system: ChildProcess | undefined;

  private constructor(registry: LocalRegistry, ports: Ports) {
    this.registry = registry;
    this.computer = new EmptyComputer(registry.url);
    this.ports = ports;
    this.issuer = `http://127.0.0.1:${ports.server}`;
  }

  static async create(): Promise<World> {
    return new World(await publishEverything(), await findPorts());
  }

  get system(): ChildProcess {
    if (this.#system === undefined) throw new Error("The development system does not run.");
    return this.#system;
  }

  /** @throws {Error} The service of this page has not started. */
  serviceOf(page: string): Service {
    const service = this.services.get(page);
    if (service === undefined) throw new Error(`The service of ${page} does not run.`);
    return service;
  }

  async startSystem(line: string): Promise<string> {
    const { child, printed } = await startSystem(this.computer, withPorts(line, this.ports));
    this.#system = child;
    return printed;
  }

  /** Replaces the addresses of a page by those of this system and of a service. */
  here(words: string, origin: string): string {
    return words
      .replaceAll("http://127.0.0.1:3000", this.issuer)
      .replaceAll(/http:\/\/127\.0\.0\.1:(?:3200|3201|4000)\b/g, origin)
      .replaceAll(/\b(?:3200|3201|4000)\b/g, new URL(origin).port);
  }

  /**
   * Runs a block of a page as a person, with the service's origin in place of the printed one.
   *
   * @throws {Error} A line has an unexpected exit code; 0 is expected unless `statuses` says otherwise.
   */
  async type(
    page: string,
    name: string,
    { origin, person = "ada", cwd, statuses }: TypeOptions,
  ): Promise<readonly Typed[]> {
    const at = cwd === undefined ? { terminal: this.computer } : { terminal: this.computer, cwd };
    return await typeBlock(page, name, async (line, index) => {
      const typed = await typeAs(person, this.here(line, origin), at);
      if (typed.status !== (statuses?.[index] ?? 0))
        throw new Error(`${line} ended with ${typed.status}.\n${typed.stdout}\n${typed.stderr}`);
      return typed;
    });
  }

  /** Starts a service and waits until it answers. `close` ends it. */
  async serve(line: string, folder: string, origin: string): Promise<ChildProcess> {
    const service = this.computer.start(line, folder);
    this.#started.push(service);
    let stderr = "";
    service.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    service.stdout?.resume();
    await vi.waitUntil(
      () => {
        if (service.exitCode !== null) throw new Error(`The service ended. ${stderr}`);
        return fetch(origin).catch(() => undefined);
      },
      { timeout: 60_000, interval: 100 },
    );
    return service;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#started, this.#system].map(end));
    await this.registry.close();
    this.computer.remove();
  }
}

interface TypeOptions {
  readonly origin: string;
  readonly person?: string;
  readonly cwd?: string;
  readonly statuses?: readonly number[];
}

/** The first block of a page in a language that begins with `start`. */
export function printedIn(page: string, language: string, start = ""): string {
  const found = codeBlocks(page).find((block) => block.language === language && block.code.startsWith(start));
  if (found === undefined) throw new Error(`${page} shows nothing in ${language} that begins with: ${start}`);
  return found.code;
}

export async function findOrigin(): Promise<string> {
  return `http://127.0.0.1:${await findFreePort()}`;
}

export async function findPorts(): Promise<Ports> {
  return { server: await findFreePort(), idp: await findFreePort(), postgres: await findFreePort() };
}

function withPorts(line: string, { server, idp, postgres }: Ports): string {
  return `${line} --port ${server} --idp-port ${idp} --postgres-port ${postgres}`;
}

/** Starts a development system and waits until it is ready. */
export async function startSystem(
  computer: EmptyComputer,
  line: string,
): Promise<{ readonly child: ChildProcess; readonly printed: string }> {
  const child = computer.start(line);
  let printed = "";
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`It ended. ${printed}${stderr}`);
      return printed.includes("Ctrl-C stops everything.");
    },
    { timeout: 240_000, interval: 100 },
  );
  return { child, printed };
}

/** Sends SIGHUP to the process group, as a closing terminal does. */
export async function hangUp(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  process.kill(-(child.pid ?? Number.NaN), "SIGHUP");
  await ended;
}
