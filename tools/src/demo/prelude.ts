import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AuthzClient,
  AuthzClientError,
  type AuthzClientErrorCode,
  createClient,
  memoryStore,
} from "@authz/client";
import { originOf, type Settings } from "../development/settings.js";
import { Browser } from "../scriptless/browser.js";
import { pressOf, signIn } from "./sign-in.js";

/** Whether this installation is new: without a sign-in, the console has nothing to show. */
export function isUntouched(settings: Settings): boolean {
  return !existsSync(marker(settings));
}

/**
 * Makes the people of the development system do something, so that a new console has something to show. Ada reads
 * contracts and may not create one, Bruno looks around, Clara may not sign in at the command line. All of it over HTTP, as real people do.
 */
export async function playPrelude(settings: Settings): Promise<void> {
  await Promise.all([
    as(settings, "ada", letAdaWork),
    as(settings, "bruno", async (bruno) => void (await bruno.resources())),
    refused(
      "sign_in_denied",
      as(settings, "clara", async () => undefined),
    ),
  ]);
  writeFileSync(marker(settings), "", { mode: 0o600 });

  async function letAdaWork(ada: AuthzClient): Promise<void> {
    const url = `${originOf(settings, "express")}/api/contracts`;
    const answer = await ada.authorizedRequest({ url, scopes: ["contracts:read"] });
    answer.discard();
    const creation = { url, method: "POST", body: JSON.stringify({ customer: "Acme" }) };
    await refused("scope_not_granted", ada.authorizedRequest({ ...creation, scopes: ["contracts:write"] }));
  }
}

/** Signs this person in, lets them do something, and signs them out again. */
async function as(
  settings: Settings,
  person: string,
  act: (client: AuthzClient) => Promise<void>,
): Promise<void> {
  const client = createClient({ issuer: originOf(settings, "server"), store: memoryStore() });
  const browserFailed = new AbortController();
  const browser = new Browser();
  let visit: Promise<unknown> | undefined;
  const login = client.login({
    signal: browserFailed.signal,
    onAddress: ({ url }) => {
      visit = signIn(browser, new URL(url), { person });
      visit.catch(() => browserFailed.abort());
    },
  });
  try {
    await login;
  } catch (error) {
    // The failure in the browser says more than the missing answer.
    await visit;
    throw error;
  }
  await act(client);
  await client.logout();
  await signOut(browser, new URL(client.issuer));
}

/** Presses the button on the person's own page. */
async function signOut(browser: Browser, issuer: URL): Promise<void> {
  const page = await browser.open(issuer);
  for (const form of page.forms) {
    const button = form.buttons.find(({ text }) => text === "Sign out");
    if (button !== undefined) {
      await browser.submit(form, pressOf(button));
      return;
    }
  }
}

/** Waits for something that must not be allowed. */
async function refused(code: AuthzClientErrorCode, attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof AuthzClientError && error.code === code) return;
    throw error;
  }
  throw new Error(`Something was allowed that must be refused: ${code}`);
}

function marker({ stateDirectory }: Settings): string {
  return join(stateDirectory, "prelude-played");
}
