import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { vi } from "vitest";
import { findFreePort } from "../../../tools/src/network/ports.js";
import { type LocalRegistry, publishEverything } from "../../packaging/registry.js";
import { EmptyComputer, end } from "../empty-computer.js";
import { codeBlocks } from "../markdown.js";
import { typeBlock } from "../printed-blocks.js";
import { type Typed, typeAs } from "../terminal.js";

/** The ports of a development system. */
interface Ports {
  readonly server: number;
  readonly idp: number;
  readonly postgres: number;
}

/** A service that runs. */
interface Service {
  readonly origin: string;
  readonly process: ChildProcess;
}

/** A registry with our packages, and a computer of somebody without any rights, where the development system runs. */
export class World {
  readonly registry: LocalRegistry;
  readonly computer: EmptyComputer;
  readonly ports: Ports;
  readonly issuer: string;
  /** The services of READMEs, by their pages. */
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

  /** Starts the development system with a line. */
  async startSystem(line: string): Promise<string> {
    const { child, printed } = await startSystem(this.computer, withPorts(line, this.ports));
    this.#system = child;
    return printed;
  }

  /** The words of a page, with the addresses of this system and of a service in place of its own. */
  here(words: string, origin: string): string {
    return words
      .replaceAll("http://127.0.0.1:3000", this.issuer)
      .replaceAll(/http:\/\/127\.0\.0\.1:(?:3200|3201|4000)\b/g, origin)
      .replaceAll(/\b(?:3200|3201|4000)\b/g, new URL(origin).port);
  }

  /**
   * Types a block of a page about the service at an origin, as a person.
   *
   * @throws {Error} A line ended with another exit code than is expected, which is 0 unless given.
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

  /** Starts a service with a line, and waits until it answers. It ends with the world, if not before. */
  async serve(line: string, folder: string, origin: string): Promise<ChildProcess> {
    const service = this.computer.start(line, folder);
    this.#started.push(service);
    let words = "";
    service.stderr?.on("data", (chunk: Buffer) => (words += chunk.toString()));
    service.stdout?.resume();
    await vi.waitUntil(
      () => {
        if (service.exitCode !== null) throw new Error(`The service ended. ${words}`);
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

/** The first block of a page in a language, or the one that begins so. */
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

/** The command that starts a development system, at other ports. */
function withPorts(line: string, { server, idp, postgres }: Ports): string {
  return `${line} --port ${server} --idp-port ${idp} --postgres-port ${postgres}`;
}

/** Starts a development system, and waits until it says that everything runs. */
export async function startSystem(
  computer: EmptyComputer,
  line: string,
): Promise<{ readonly child: ChildProcess; readonly printed: string }> {
  const child = computer.start(line);
  let printed = "";
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`It ended. ${printed}${complaint}`);
      return printed.includes("Ctrl-C stops everything.");
    },
    { timeout: 240_000, interval: 100 },
  );
  return { child, printed };
}

/** Ends it as closing its terminal does. */
export async function hangUp(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  process.kill(-(child.pid ?? Number.NaN), "SIGHUP");
  await ended;
}
