import type { AuthzCommand } from "../demo/authz-command.js";
import { originOf, type Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";

/** A command that waits for somebody to do something in a browser. */
export interface Pending {
  readonly address: string;
  /** Ends when it is allowed or denied. */
  readonly ended: Promise<unknown>;
}

/** Starts `authz login` and gives the address that it prints. With `--device` that is the page for a code, filled in. */
export async function beginLogin(
  settings: Settings,
  authz: AuthzCommand,
  options: readonly string[] = ["--no-browser"],
): Promise<Pending> {
  const args = ["login", "--issuer", originOf(settings, "server"), ...options];
  return await begin(settings, authz, args);
}

/** Starts to connect an account at Notes. */
export async function beginConnection(
  settings: Settings,
  authz: AuthzCommand,
  options: readonly string[] = [],
): Promise<Pending> {
  return await begin(settings, authz, ["connections", "connect", "notes", "--no-browser", ...options]);
}

async function begin(settings: Settings, authz: AuthzCommand, args: readonly string[]): Promise<Pending> {
  const issuer = originOf(settings, "server");
  const wanted = args.includes("--device") ? /^http\S+\?user_code=\S+$/ : /^http\S+$/;
  let ended: Promise<unknown> = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    ended = authz.run(args, {
      onLine(line) {
        const found = line.split(/\s+/).find((word) => word.startsWith(`${issuer}/`) && wanted.test(word));
        if (found !== undefined) resolve(found);
      },
    });
    ended.catch(reject);
  });
  return { address, ended };
}

/** Ada's agent works: reads skills, calls every service, and is refused what she may not do. */
export async function work(settings: Settings, authz: AuthzCommand): Promise<void> {
  const contracts = (["express", "koa", "fastify"] as const).map(
    (key) => `${originOf(settings, key)}/api/contracts`,
  );
  /* oxlint-disable no-await-in-loop -- one after the other, as an agent does it */
  await authz.run(["skills"]);
  await authz.run(["skills", "show", "contracts-express.list-contracts"]);
  for (const url of contracts) await authz.run(["request", "--scope", "contracts:read", url]);
  /* oxlint-enable no-await-in-loop */
  const [url = ""] = contracts;
  const change = ["-X", "POST", "-d", '{"customer":"Acme"}'];
  await refused(authz.run(["request", "--scope", "contracts:write", ...change, url]));
}

/** Waits for something that must not be allowed. */
export async function refused(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof ReadableError) return;
    throw error;
  }
  throw new Error("Something was allowed that must be refused.");
}
