import { originOf, type Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";
import type { AuthzCommand } from "./authz-command.js";
import type { Browser } from "../scriptless/browser.js";
import { connectAccount } from "./sign-in.js";
import type { Narrator } from "./narrators.js";

interface Connection {
  readonly state: string;
  readonly account: { readonly label: string };
}

/**
 * Connects Ada's account at the third party, has her agent use it and be refused, and disconnects. An account that is connected already, by
 * the user of this system, is used and stays as it is.
 *
 * @throws {ReadableError} Something is not as expected.
 */
export async function visitThirdParty(
  settings: Settings,
  {
    authz,
    browser,
    narrator,
  }: { readonly authz: AuthzCommand; readonly browser: Browser; readonly narrator: Narrator },
): Promise<void> {
  const api = `${originOf(settings, "notes")}/api/notes`;
  const before = (await authz.run(["connections", "show", "notes"])) as Connection;
  const isOurs = before.state !== "connected" || !(await isUsable(authz, api));
  if (isOurs) {
    await connect(settings, { authz, browser, narrator });
  }

  narrator.line(`$ authz request --connection notes ${api}`);
  const { status, body } = (await authz.run(["request", "--connection", "notes", api])) as {
    readonly status: number;
    readonly body: { readonly notes?: readonly { readonly title: string }[] };
  };
  const [note] = body.notes ?? [];
  if (status !== 200 || note === undefined) {
    throw new ReadableError(`Notes answered ${status}, and must answer 200 with a note.`);
  }
  narrator.line(`  ${status}  “${note.title}”; the token that opened it never left the server`);

  const elsewhere = new URL("account", api).href;
  narrator.line(`$ authz request --connection notes ${elsewhere}`);
  await refuseAddress(authz, elsewhere);
  narrator.line("  refused: outside what the administrator allows; nothing was sent");

  if (isOurs) {
    narrator.line("$ authz connections disconnect notes --yes");
    const { revocation } = (await authz.run(["connections", "disconnect", "notes", "--yes"])) as {
      readonly revocation: string;
    };
    if (revocation !== "confirmed") {
      throw new ReadableError(`Notes did not confirm that the access has ended: ${revocation}.`);
    }
    narrator.line("  Notes confirms that the access has ended");
  }
}

/** Notes forgets consents when it stops: earlier connections have to be connected again. */
async function isUsable(authz: AuthzCommand, address: string): Promise<boolean> {
  try {
    await authz.run(["request", "--connection", "notes", address]);
    return true;
  } catch (error) {
    const isOver = error instanceof ReadableError && /reconnect_required|service_refused/.test(error.message);
    if (isOver) return false;
    throw error;
  }
}

async function connect(
  settings: Settings,
  {
    authz,
    browser,
    narrator,
  }: { readonly authz: AuthzCommand; readonly browser: Browser; readonly narrator: Narrator },
): Promise<void> {
  narrator.line("$ authz connections connect notes --no-browser");
  const issuer = originOf(settings, "server");
  const browserFailed = new AbortController();
  let visit: Promise<readonly string[]> | undefined;
  const connected = authz.run(["connections", "connect", "notes", "--no-browser"], {
    signal: browserFailed.signal,
    onLine(line) {
      const address = line.trim();
      if (visit === undefined && address.startsWith(`${issuer}/`) && URL.canParse(address)) {
        visit = connectAccount(browser, new URL(address), { person: "ada", account: "ada-home" });
        visit.catch(() => browserFailed.abort());
      }
    },
  });
  try {
    const { account } = (await connected) as Connection;
    for (const title of (await visit) ?? []) {
      narrator.line(`  page: ${title}`);
    }
    narrator.line(`  connected as ${account.label}`);
  } catch (error) {
    // What went wrong in the browser says more than that the command was ended because of it.
    await visit;
    throw error;
  }
}

async function refuseAddress(authz: AuthzCommand, address: string): Promise<void> {
  try {
    await authz.run(["request", "--connection", "notes", address]);
  } catch (error) {
    if (error instanceof ReadableError && error.message.includes("target_not_allowed")) {
      return;
    }
    throw error;
  }
  throw new ReadableError(`${address} was answered, but must be refused.`);
}
