import type { IncomingMessage, ServerResponse } from "node:http";
import { sendPage } from "@authz/dev-idp/parts";
import type { InteractionResults, Provider } from "oidc-provider";
import type { Account } from "./accounts.js";
import type { Memory } from "./memory.js";
import { readText } from "./messages.js";
import { consentPage, messagePage, signInPage } from "./pages.js";
import { scopeWords } from "./provider.js";

interface Parties {
  readonly provider: Provider;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly memory: Memory;
}

type Details = Awaited<ReturnType<Provider["interactionDetails"]>>;

/** The two pages between an app and an account: who are you, and may the app do this. */
export async function interact(
  { provider, accounts, memory }: Parties,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const details = await provider.interactionDetails(request, response);
    if (request.method !== "POST") {
      sendPage(response, 200, await pageFor(provider, accounts, details));
      return;
    }
    const form = new URLSearchParams(await readText(request));
    const result =
      details.prompt.name === "login"
        ? signIn(accounts, form)
        : await consent(provider, memory, { details, form });
    await provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: details.prompt.name !== "login",
    });
  } catch {
    const text =
      "It expired, or it was opened in another browser. Go back to the application and start again.";
    sendPage(response, 400, messagePage("This request is over", text));
  }
}

async function pageFor(
  provider: Provider,
  accounts: ReadonlyMap<string, Account>,
  { uid, params, prompt, session }: Details,
): Promise<string> {
  const clientId = String(params["client_id"]);
  const client = await provider.Client.find(clientId);
  const clientName = client?.clientName ?? clientId;
  const action = `/interaction/${uid}`;
  const account = accounts.get(session?.accountId ?? "");
  if (prompt.name === "login" || account === undefined) {
    return signInPage({ action, clientName, accounts: [...accounts.values()] });
  }
  const returnsTo = new URL(String(params["redirect_uri"])).origin;
  return consentPage({ action, clientName, account, returnsTo, permissions: permissionsOf(params) });
}

/** The scopes in words. Every token tells who the account belongs to. */
function permissionsOf(params: Details["params"]): { scope?: string; words: string }[] {
  const { scope: asked } = params;
  const known = (typeof asked === "string" ? asked : "").split(" ").flatMap((scope) => {
    const words = scopeWords[scope];
    return words === undefined ? [] : [{ scope, words }];
  });
  return [...known, { words: "See your name and email address" }];
}

function signIn(accounts: ReadonlyMap<string, Account>, form: URLSearchParams): InteractionResults {
  const account = accounts.get(form.get("account") ?? "");
  return account === undefined
    ? { error: "access_denied", error_description: "Nobody signed in." }
    : { login: { accountId: account.id, remember: false } };
}

async function consent(
  provider: Provider,
  memory: Memory,
  { details, form }: { readonly details: Details; readonly form: URLSearchParams },
): Promise<InteractionResults> {
  const { prompt, params, session } = details;
  if (form.get("answer") !== "allow" || session?.accountId === undefined) {
    return { error: "access_denied", error_description: "The owner of the account did not allow it." };
  }
  const { accountId } = session;
  const clientId = String(params["client_id"]);
  // One grant per app, so that revoking one of its tokens revokes all of them.
  const known = memory.grantOf(accountId, clientId);
  const found = known === undefined ? undefined : await provider.Grant.find(known);
  const grant = found ?? new provider.Grant({ clientId, accountId });
  const { missingOIDCScope, missingOIDCClaims } = prompt.details as {
    missingOIDCScope?: string[];
    missingOIDCClaims?: string[];
  };
  grant.addOIDCScope(missingOIDCScope?.join(" ") ?? "");
  grant.addOIDCClaims(missingOIDCClaims ?? []);
  return { consent: { grantId: await grant.save() } };
}
