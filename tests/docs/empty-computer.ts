import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { withoutKeyring } from "../system/whole-system.js";
import { blindBrowser, type Terminal, type Typed } from "./terminal.js";

/** Whose computer it is; nobody else than whoever runs the tests, unless an account is named. */
export type Account = { readonly uid?: number; readonly gid?: number };

/** Somebody without any rights. Only root can be somebody else; anybody else has none anyway. */
export const withoutRights: Account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * A computer with Node.js and nothing else, as far as this one can pretend it: an empty home, with nothing of the npm that runs the tests, and
 * without a keyring unless it gets one.
 */
export class EmptyComputer implements Terminal {
  readonly home: string = mkdtempSync(join(tmpdir(), "authz-empty-computer-"));
  #environment: NodeJS.ProcessEnv;
  readonly #as: Account;

  /** @param registry - where its npm gets packages */
  constructor(registry: string, as: Account = withoutRights) {
    this.#as = as;
    chmodSync(this.home, 0o755);
    // Another prefix hides what this computer tells npm about its network.
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

  /** Sets variables for what is typed from now on, such as where a keyring is. */
  set(variables: NodeJS.ProcessEnv): void {
    this.#environment = { ...this.#environment, ...variables };
  }

  /** Makes an empty folder, and gives its path. */
  folder(name: string): string {
    const path = join(this.home, name);
    mkdirSync(path);
    this.#own(path);
    return path;
  }

  /** Saves a file, as whoever's computer it is. */
  save(path: string, content: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    this.#own(path);
  }

  /** What a line prints, whatever becomes of it. Nothing here stands still meanwhile, such as a registry. */
  async tryToType(
    line: string,
    cwd: string = this.home,
    onWords: (words: string) => void = () => undefined,
  ): Promise<Typed> {
    const child = spawn("sh", ["-c", line], { cwd, env: this.#environment, ...this.#as });
    child.stderr.on("data", (chunk: Buffer) => onWords(chunk.toString()));
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null]>,
    ]);
    return { status, stdout, stderr };
  }

  /**
   * What a line prints.
   *
   * @throws {Error} It failed.
   */
  async type(line: string, cwd: string = this.home): Promise<string> {
    const { status, stdout, stderr } = await this.tryToType(line, cwd);
    if (status !== 0) throw new Error(`${line} ended with ${status}.\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** Starts a line in a group of its own, so that it ends together with what it starts. */
  start(line: string, cwd: string = this.home): ChildProcess {
    return spawn("sh", ["-c", `exec ${line}`], { cwd, env: this.#environment, detached: true, ...this.#as });
  }

  /** Takes everything away again. */
  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  #own(path: string): void {
    const { uid, gid } = this.#as;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

/** Ends what `start` began. */
export async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid);
  await ended;
}
