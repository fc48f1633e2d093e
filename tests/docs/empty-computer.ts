import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { withoutKeyring } from "../system/whole-system.js";
import { blindBrowser, type Terminal, type Typed } from "./terminal.js";

/** The user of the computer; without ids, the user who runs the tests. */
export type Account = { readonly uid?: number; readonly gid?: number };

/** An unprivileged account. Only root can switch users; other users are unprivileged already. */
export const withoutRights: Account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Simulates a computer with Node.js and nothing else: an empty home, none of the npm settings of the test run, and no keyring unless
 * `set` adds one.
 */
export class EmptyComputer implements Terminal {
  readonly home: string = mkdtempSync(join(tmpdir(), "authz-empty-computer-"));
  #environment: NodeJS.ProcessEnv;
  readonly #as: Account;

  /** @param registry - where its npm gets packages */
  constructor(registry: string, as: Account = withoutRights) {
    this.#as = as;
    chmodSync(this.home, 0o755);
    // Another prefix would hide this computer's global npm configuration, such as a proxy.
    const ofComputer = execFileSync("npm", ["config", "get", "globalconfig"], { encoding: "utf8" }).trim();
    const settings = [
      `registry=${registry}`,
      `prefix=${join(this.home, ".npm-global")}`,
      `globalconfig=${ofComputer}`,
    ];
    writeFileSync(join(this.home, ".npmrc"), `${settings.join("\n")}\n`);
    this.#own(this.home);
    const browser = blindBrowser(this.folder("bin"));
    const path = `${join(this.home, ".npm-global/bin")}:${browser.PATH}`;
    this.#environment = { ...browser, PATH: path, HOME: this.home, ...withoutKeyring() };
  }

  /** Sets variables for later commands, such as the address of a keyring. */
  set(variables: NodeJS.ProcessEnv): void {
    this.#environment = { ...this.#environment, ...variables };
  }

  /** Creates an empty folder and returns its path. */
  folder(name: string): string {
    const path = join(this.home, name);
    mkdirSync(path);
    this.#own(path);
    return path;
  }

  /** Saves a file as the computer's user. */
  save(path: string, content: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    this.#own(path);
  }

  /** Runs a line and returns its output and status. Asynchronous, so that a registry in this process can answer. */
  async tryToType(
    line: string,
    cwd: string = this.home,
    onStderr: (text: string) => void = () => undefined,
  ): Promise<Typed> {
    const child = spawn("sh", ["-c", line], { cwd, env: this.#environment, ...this.#as });
    child.stderr.on("data", (chunk: Buffer) => onStderr(chunk.toString()));
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null]>,
    ]);
    return { status, stdout, stderr };
  }

  /**
   * Runs a line and returns its standard output.
   *
   * @throws {Error} The line failed.
   */
  async type(line: string, cwd: string = this.home): Promise<string> {
    const { status, stdout, stderr } = await this.tryToType(line, cwd);
    if (status !== 0) throw new Error(`${line} ended with ${status}.\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** Starts a line in its own process group, so that its children end with it. */
  start(line: string, cwd: string = this.home): ChildProcess {
    return spawn("sh", ["-c", `exec ${line}`], { cwd, env: this.#environment, detached: true, ...this.#as });
  }

  /** Removes the home folder. */
  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  #own(path: string): void {
    const { uid, gid } = this.#as;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

/** Ends a process that `start` returned, with its group. */
export async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid);
  await ended;
}
