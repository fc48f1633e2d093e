import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { Provider } from "oidc-provider";
import { homePage, messagePage, signInPage } from "./pages.js";
import { developmentPeople, type Person } from "./people.js";
import { createProvider, type DevIdpClient, SESSION_COOKIE } from "./provider.js";
import { type DevIdpSecrets, generateSecrets } from "./secrets.js";

export interface DevIdpOptions {
  readonly clients: readonly DevIdpClient[];
  /** Default: a free one. */
  readonly port?: number;
  /** A loopback address, nothing else. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: Ada, Bruno and Clara. */
  readonly people?: readonly Person[];
  /** Default: new ones, so ID tokens of an earlier run do not verify. */
  readonly secrets?: DevIdpSecrets;
}

export interface DevIdp {
  readonly issuer: string;
  readonly port: number;
  close(): Promise<void>;
}

const MAX_FORM_BYTES = 4096;

/**
 * Starts an OpenID provider where people sign in by picking their name.
 *
 * @throws {TypeError} `host` is not a loopback address: nobody else may ever reach a provider without passwords.
 */
export async function startDevIdp(options: DevIdpOptions): Promise<DevIdp> {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopback(host)) {
    throw new TypeError(
      `host: ${host} is not a loopback address. There are no passwords here, so use 127.0.0.1 or ::1.`,
    );
  }
  const people = new Map((options.people ?? developmentPeople).map((person) => [person.id, person]));
  const secrets = options.secrets ?? (await generateSecrets());
  const server = createServer();
  const port = await listen(server, host, options.port ?? 0);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const issuer = `http://${authority}`;
  const provider = createProvider(issuer, { clients: options.clients, people, secrets });
  const protocol = provider.callback();
  server.on("request", (request, response) => {
    forgetSession(request);
    const path = new URL(request.url ?? "/", issuer).pathname;
    if (request.headers.host !== authority) {
      // A page on the Internet may point its own name at 127.0.0.1; its requests still carry that name.
      send(response, 421, messagePage("Wrong address", `This provider answers at ${issuer} only.`));
    } else if (path === "/") {
      send(response, 200, homePage(issuer, [...people.values()]));
    } else if (path.startsWith("/interaction/")) {
      void interact(provider, people, request, response);
    } else {
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

/** Each sign-in asks anew: in development, becoming another person must be one click away. */
function forgetSession({ headers }: IncomingMessage): void {
  const kept = headers.cookie?.split("; ").filter((cookie) => !cookie.startsWith(SESSION_COOKIE));
  headers.cookie = kept?.join("; ");
}

async function interact(
  provider: Provider,
  people: ReadonlyMap<string, Person>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { uid, params } = await provider.interactionDetails(request, response);
    if (request.method !== "POST") {
      const clientId = String(params["client_id"]);
      const clientName = (await provider.Client.find(clientId))?.clientName ?? clientId;
      const page = { action: `/interaction/${uid}`, clientName, people: [...people.values()] };
      send(response, 200, signInPage(page));
      return;
    }
    const form = await readForm(request);
    const person = people.get(form.get("person") ?? "");
    const result =
      person === undefined
        ? { error: "access_denied", error_description: "Nobody was picked." }
        : { login: { accountId: person.id, remember: false } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  } catch {
    const text =
      "It expired, or it was opened in another browser. Go back to the application and start again.";
    send(response, 400, messagePage("This sign-in is over", text));
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_FORM_BYTES) {
      throw new Error("The form is too large.");
    }
  }
  return new URLSearchParams(text);
}

function send(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .end(html);
}
