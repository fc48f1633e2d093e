import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAccount, signIn } from "../../tools/src/demo/sign-in.js";
import { Browser } from "../../tools/src/scriptless/browser.js";

/** What a line printed, and how it ended. */
export interface Typed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where lines are typed. */
export interface Terminal {
  /** Types a line, whatever becomes of it. What it says on standard error meanwhile is told. */
  tryToType(line: string, cwd?: string, onWords?: (words: string) => void): Promise<Typed>;
}

/** The variables of a computer whose browser opens, and shows nothing: a program goes there instead. */
export function blindBrowser(folder: string): { readonly PATH: string; readonly BROWSER: string } {
  const browser = join(folder, "open");
  writeFileSync(browser, "#!/bin/sh\n", { mode: 0o755 });
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}`, BROWSER: browser };
}

/**
 * Types a line as a person does: signs in, or connects an account, at the address where the browser opens. On a computer without a
 * keyring, types what the command says instead.
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
  let words = "";
  let visited: Promise<unknown> | undefined;
  return await new Promise<Typed>((resolve, reject) => {
    const onWords = (more: string): void => {
      words += more;
      const address = /^(http:\S+)\n/m.exec(words)?.[1];
      if (visited !== undefined || address === undefined) return;
      visited = visit(new URL(address));
      visited.catch(reject);
    };
    terminal.tryToType(line, cwd, onWords).then(resolve, reject);
  });
}
