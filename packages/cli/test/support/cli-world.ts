import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  startTestAuthorizationServer,
  type TestAuthorizationServer,
} from "../../../client/test/support/test-authorization-server.js";
import { startTestService, type TestService } from "../../../client/test/support/test-service.js";
import { main, type Runtime } from "../../src/index.js";

/** What a command left behind. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** Pretend that input and outputs are terminals. */
  terminal?: boolean;
  /** Width of the terminal; 80 unless given. */
  columns?: number;
  stdin?: string | Readable;
  /** Is told every wait, which then takes no time. */
  onPause?: (seconds: number) => void;
  clock?: () => number;
  version?: string;
  /** Where newer versions are, for a program without a package manager. */
  newVersionsAt?: string;
  /** What would show credentials. */
  exposure?: ReturnType<Runtime["exposure"]>;
  /** The program as it was typed; `authz` unless given. */
  program?: string;
  /** Is told when the registry would be asked. */
  onUpdateCheck?: () => void;
  /** Is called with all of stderr so far, each time it grows. */
  onStderr?: (text: string) => void;
}

/** A real authorization server and service, an empty home, and commands that run there. */
export interface CliWorld {
  server: TestAuthorizationServer;
  service: TestService;
  /** The address of the service's route. */
  api: string;
  home: string;
  env: Record<string, string>;
  run(args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Signs in like a person: reads the address from stderr and visits it. */
  login(...more: string[]): Promise<CommandResult>;
  close(): Promise<void>;
}

export async function startCliWorld(): Promise<CliWorld> {
  const server = await startTestAuthorizationServer();
  const service = await startTestService(server);
  const home = await mkdtemp(join(tmpdir(), "authz-cli-"));
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    PATH: process.env.PATH ?? "",
    TERM: "xterm",
  };
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<CommandResult> => {
    const stdout = new Capture();
    const stderr = new Capture(options.onStderr);
    const runtime: Runtime = {
      stdin:
        options.stdin instanceof Readable
          ? options.stdin
          : Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
      stdout,
      stderr,
      stdinIsTerminal: options.terminal ?? false,
      stdoutIsTerminal: options.terminal ?? false,
      stderrIsTerminal: options.terminal ?? false,
      columns: options.columns ?? 80,
      env: { ...env, ...options.env },
      platform: process.platform,
      home,
      temporary: home,
      clock: options.clock ?? Date.now,
      pause: async (seconds) => options.onPause?.(seconds),
      exposure: () => options.exposure,
      program: options.program ?? "authz",
      version: () => options.version ?? "0.0.0",
      startUpdateCheck: () => options.onUpdateCheck?.(),
      ...(options.newVersionsAt === undefined ? {} : { newVersionsAt: options.newVersionsAt }),
    };
    const code = await main(args, runtime);
    return { code, stdout: stdout.text, stderr: stderr.text };
  };
  return {
    server,
    service,
    api: `${service.origin}/api/contracts`,
    home,
    env,
    run,
    login: async (...more) =>
      await run(["login", "--no-browser", "--issuer", server.origin, ...more], {
        env: { AUTHZ_TOKEN_STORE: "file" },
        onStderr: visitAddress(),
      }),
    close: async () => {
      await service.close();
      await server.close();
    },
  };
}

/** A world in which a person is signed in. */
export async function startSignedInWorld(): Promise<CliWorld> {
  const world = await startCliWorld();
  await world.login();
  return world;
}

/** Visits the first line that is an address (and matches), once. */
export function visitAddress(wanted = /^http\S+$/m): (stderr: string) => void {
  let visited = false;
  return (stderr) => {
    const address = wanted.exec(stderr)?.[0];
    if (visited || address === undefined || !stderr.includes(`${address}\n`)) return;
    visited = true;
    fetch(address).catch(() => undefined);
  };
}

class Capture extends Writable {
  readonly #chunks: Buffer[] = [];
  readonly #onText: ((text: string) => void) | undefined;

  constructor(onText?: (text: string) => void) {
    super();
    this.#onText = onText;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    this.#onText?.(this.text);
    done();
  }
}
