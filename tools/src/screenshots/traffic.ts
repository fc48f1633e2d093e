import type { AuthzCommand } from "../demo/authz-command.js";
import { originOf, type Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";

/** A sign-in that waits for somebody to allow it. */
export interface PendingLogin {
  readonly address: string;
  /** Ends when it is allowed or denied. */
  readonly ended: Promise<unknown>;
}

/** Starts `authz login` and gives the address that it prints. With `--device` that is the page for a code. */
export async function beginLogin(
  settings: Settings,
  authz: AuthzCommand,
  options: readonly string[] = ["--no-browser"],
): Promise<PendingLogin> {
  const issuer = originOf(settings, "server");
  // With a code, the address that has it filled in.
  const wanted = options.includes("--device") ? /^http\S+\?user_code=\S+$/ : /^http\S+$/;
  let ended: Promise<unknown> = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    ended = authz.run(["login", "--issuer", issuer, ...options], {
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
