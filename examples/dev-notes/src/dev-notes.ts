import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { Provider } from "oidc-provider";
import { type Account, developmentAccounts } from "./accounts.js";
import { interact } from "./interactions.js";
import { createMemory, type Memory } from "./memory.js";
import { readText, sendJson, sendPage } from "./messages.js";
import { createNoteStore, type NoteStore } from "./note-store.js";
import { createNotesApi } from "./notes-api.js";
import { accountPage, homePage, messagePage } from "./pages.js";
import { createProvider, type DevNotesClient, SESSION_COOKIE } from "./provider.js";

export interface DevNotesOptions {
  readonly clients: readonly DevNotesClient[];
  /** Default: a free one. */
  readonly port?: number;
  /** A loopback address, nothing else. Default: `127.0.0.1`. */
  readonly host?: string;
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
 * @throws {TypeError} `host` is not a loopback address: nobody else may ever reach accounts without passwords.
 */
export async function startDevNotes(options: DevNotesOptions): Promise<DevNotes> {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopback(host)) {
    throw new TypeError(
      `host: ${host} is not a loopback address. There are no passwords here, so use 127.0.0.1 or ::1.`,
    );
  }
  const server = createServer();
  const port = await listen(server, host, options.port ?? 0);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const issuer = `http://${authority}`;
  const accounts = new Map((options.accounts ?? developmentAccounts).map((account) => [account.id, account]));
  const notes = createNoteStore(accounts.values());
  const memory = createMemory();
  const provider = createProvider(issuer, { clients: options.clients, accounts, memory });
  provider.on("access_token.saved", (token) => options.onToken?.(token.jti));
  provider.on("refresh_token.saved", (token) => options.onToken?.(token.jti));
  const protocol = provider.callback();
  const api = createNotesApi({ provider, accounts, notes });
  const site: Site = { issuer, provider, accounts, notes, memory };
  server.on("request", (request, response) => {
    const path = new URL(request.url ?? "/", issuer).pathname;
    if (request.headers.host !== authority) {
      // A page on the Internet may point its own name at 127.0.0.1; its requests still carry that name.
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
      if (path === "/auth") {
        forgetSession(request);
      }
      void protocol(request, response);
    }
  });
  return {
    issuer,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

function listen(server: ReturnType<typeof createServer>, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Each request of an app begins with a sign-in: in development, another account must be one click away. */
function forgetSession({ headers }: IncomingMessage): void {
  const kept = headers.cookie?.split("; ").filter((cookie) => !cookie.startsWith(SESSION_COOKIE));
  headers.cookie = kept?.join("; ");
}
