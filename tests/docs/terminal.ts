import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAccount, signIn } from "../../tools/src/demo/sign-in.js";
import { Browser } from "../../tools/src/scriptless/browser.js";

/** Output and exit code of a line. */
export interface Typed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Terminal {
  /** Runs a line and passes its standard error on as it arrives. */
  tryToType(line: string, cwd?: string, onStderr?: (text: string) => void): Promise<Typed>;
}

/** Variables of a computer whose browser command does nothing; a program visits the address instead. */
export function blindBrowser(folder: string): { readonly PATH: string; readonly BROWSER: string } {
  const browser = join(folder, "open");
  writeFileSync(browser, "#!/bin/sh\n", { mode: 0o755 });
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}`, BROWSER: browser };
}

/**
 * Runs a line as a person: signs in, or connects an account, at the printed address. Without a keyring, runs the command that the
 * error suggests.
 */
export async function typeAs(
  person: string,
  line: string,
  at: { readonly terminal: Terminal; readonly cwd?: string },
): Promise<Typed> {
  const typed = await typeAndVisit(person, line, at);
  const [, instead] = /\b(AUTHZ_TOKEN_STORE=file .*\blogin\b.*)$/m.exec(typed.stderr) ?? [];
  return typed.status === 1 && instead !== undefined ? await typeAndVisit(person, instead, at) : typed;
}

async function typeAndVisit(
  person: string,
  line: string,
  { terminal, cwd }: { readonly terminal: Terminal; readonly cwd?: string },
): Promise<Typed> {
  const visit = (address: URL): Promise<unknown> =>
    line.includes(" connections connect ")
      ? connectAccount(new Browser(), address, { person, account: `${person}-home` })
      : signIn(new Browser(), address, { person });
  let stderr = "";
  let visited: Promise<unknown> | undefined;
  return await new Promise<Typed>((resolve, reject) => {
    const onStderr = (text: string): void => {
      stderr += text;
      const address = /^(http:\S+)\n/m.exec(stderr)?.[1];
      if (visited !== undefined || address === undefined) return;
      visited = visit(new URL(address));
      visited.catch(reject);
    };
    terminal.tryToType(line, cwd, onStderr).then(resolve, reject);
  });
}
