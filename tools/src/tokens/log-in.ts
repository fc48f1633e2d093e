import type { AuthzCommand } from "../demo/authz-command.js";
import { signIn } from "../demo/sign-in.js";
import { originOf, type Settings } from "../development/settings.js";
import { Browser } from "../scriptless/browser.js";

/** Signs the command in as Ada. @throws {ReadableError} What went wrong in the browser, or the command. */
export async function logInAsAda(settings: Settings, authz: AuthzCommand): Promise<void> {
  const issuer = originOf(settings, "server");
  const browserFailed = new AbortController();
  let visit: Promise<unknown> | undefined;
  const login = authz.run(["login", "--issuer", issuer, "--no-browser"], {
    signal: browserFailed.signal,
    onLine(line) {
      const address = line.trim();
      if (visit !== undefined || !address.startsWith(`${issuer}/`) || !URL.canParse(address)) return;
      visit = signIn(new Browser(), new URL(address), { person: "ada" });
      visit.catch(() => browserFailed.abort());
    },
  });
  const [seen, signedIn] = await Promise.allSettled([login.then(() => visit), login]);
  await visit;
  if (seen.status === "rejected") throw seen.reason;
  if (signedIn.status === "rejected") throw signedIn.reason;
}
