import type { IncomingMessage, ServerResponse } from "node:http";
import {
  forgetCookie,
  type LoopbackServerOptions,
  sendPage,
  startLoopbackServer,
} from "@authz/dev-idp/parts";
import type { Provider } from "oidc-provider";
import { type Account, developmentAccounts } from "./accounts.js";
import { interact } from "./interactions.js";
import { createMemory, type Memory } from "./memory.js";
import { readText, sendJson } from "./messages.js";
import { createNoteStore, type NoteStore } from "./note-store.js";
import { createNotesApi } from "./notes-api.js";
import { accountPage, homePage, messagePage } from "./pages.js";
import { createProvider, type DevNotesClient, SESSION_COOKIE } from "./provider.js";

export interface DevNotesOptions extends LoopbackServerOptions {
  readonly clients: readonly DevNotesClient[];
  /** Default: a personal account of Ada's and one of Bruno's. */
  readonly accounts?: readonly Account[];
  /** Receives every access and refresh token that is issued: for tests that look for them where they must not be. */
  readonly onToken?: (token: string) => void;
}

export interface DevNotes {
  readonly issuer: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a third party: personal accounts, their notes, and an OAuth 2.0 provider that lets apps at them.
 *
 * @throws {TypeError} `host` is not a loopback address; accounts without passwords must not be reachable from elsewhere.
 */
export async function startDevNotes(options: DevNotesOptions): Promise<DevNotes> {
  const { origin: issuer, port, serve, close } = await startLoopbackServer(options);
  const accounts = new Map((options.accounts ?? developmentAccounts).map((account) => [account.id, account]));
  const notes = createNoteStore(accounts.values());
  const memory = createMemory();
  const provider = createProvider(issuer, { clients: options.clients, accounts, memory });
  provider.on("access_token.saved", (token) => options.onToken?.(token.jti));
  provider.on("refresh_token.saved", (token) => options.onToken?.(token.jti));
  const protocol = provider.callback();
  const api = createNotesApi({ provider, accounts, notes });
  const site: Site = { issuer, provider, accounts, notes, memory };
  serve((request, response, { path, isForeign }) => {
    if (isForeign) {
      sendPage(response, 421, messagePage("Wrong address", `Notes answers at ${issuer} only.`));
    } else if (path.startsWith("/api/")) {
      api(path, request, response).catch(() => sendJson(response, 500, { error: "server_error" }));
    } else if (path.startsWith("/interaction/")) {
      void interact(site, request, response);
    } else if (path === "/" || path.startsWith("/accounts/")) {
      showSite(site, path, request, response).catch(() => {
        sendPage(response, 400, messagePage("This did not work", "Go back and try again."));
      });
    } else {
      // Each request of an app begins with a sign-in.
      if (path === "/auth") {
        forgetCookie(request, SESSION_COOKIE);
      }
      void protocol(request, response);
    }
  });
  return { issuer, port, close };
}

interface Site {
  readonly issuer: string;
  readonly provider: Provider;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly notes: NoteStore;
  readonly memory: Memory;
}

/** What the owner of an account sees: the notes, and the apps that may use them. */
async function showSite(
  { issuer, provider, accounts, notes, memory }: Site,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (path === "/") {
    sendPage(response, 200, homePage(issuer, [...accounts.values()]));
    return;
  }
  const account = accounts.get(path.slice("/accounts/".length));
  if (account === undefined) {
    sendPage(response, 404, messagePage("No such account", "The accounts are listed on the first page."));
    return;
  }
  if (request.method === "POST") {
    if (request.headers.origin !== issuer) {
      sendPage(
        response,
        403,
        messagePage("Not from here", "Another site sent this form. Nothing was changed."),
      );
      return;
    }
    const form = new URLSearchParams(await readText(request));
    memory.removeApp(account.id, form.get("app") ?? "");
    response.writeHead(303, { location: path }).end();
    return;
  }
  const apps = await Promise.all(
    memory.appsOf(account.id).map(async ({ clientId, scopes }) => {
      const name = (await provider.Client.find(clientId))?.clientName ?? clientId;
      return { clientId, name, scopes };
    }),
  );
  sendPage(response, 200, accountPage({ account, notes: notes.list(account.id), apps }));
}
