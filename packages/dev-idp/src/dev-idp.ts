import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import { createDisturbances, type Disturbance } from "./disturbance.js";
import { sendPage } from "./html.js";
import { forgetCookie, type LoopbackServerOptions, startLoopbackServer } from "./loopback-server.js";
import { createMemory } from "./memory.js";
import { homePage, messagePage, signInPage } from "./pages.js";
import { developmentPeople, type Person } from "./people.js";
import { createProvider, type DevIdpClient, sessionCookie } from "./provider.js";
import { type DevIdpSecrets, generateSecrets } from "./secrets.js";

export interface DevIdpOptions extends LoopbackServerOptions {
  readonly clients: readonly DevIdpClient[];
  /** Default: Ada, Bruno and Clara. */
  readonly people?: readonly Person[];
  /** Default: new ones, so ID tokens of an earlier run do not verify. */
  readonly secrets?: DevIdpSecrets;
}

export interface DevIdp {
  readonly issuer: string;
  readonly port: number;
  /** A new person, or what is different about one. */
  setPerson(person: Person): void;
  /** A person leaves: they can no longer sign in, and their refresh tokens end. */
  removePerson(id: string): void;
  /** Signs with a new key from now on; the old one is no longer published. */
  rotateKey(): Promise<void>;
  /** Disturbs the token endpoint; `undefined`: no longer. */
  disturb(disturbance: Disturbance | undefined): void;
  /** How many requests the token endpoint has received. */
  tokenRequests(): number;
  close(): Promise<void>;
}

const maxFormBytes = 4096;
const onlyHere =
  "It has no passwords, so it is not for other computers, and nothing can stand in front of it, such as a proxy with https. Register it as it is, on a server with AUTHZ_ALLOW_INSECURE_LOOPBACK=true:";

/**
 * Starts an OpenID provider where people sign in by picking their name.
 *
 * @throws {TypeError} `host` is not a loopback address: no one else may ever reach a provider without passwords.
 */
export async function startDevIdp(options: DevIdpOptions): Promise<DevIdp> {
  const people = new Map((options.people ?? developmentPeople).map((person) => [person.id, person]));
  const secrets = options.secrets ?? (await generateSecrets());
  const { origin: issuer, port, serve, close } = await startLoopbackServer(options);
  const memory = createMemory();
  const disturbances = createDisturbances();
  const open = (signingKey: DevIdpSecrets["signingKey"]) => {
    const keys = { ...secrets, signingKey };
    const opened = createProvider(issuer, {
      clients: options.clients,
      people,
      secrets: keys,
      memory,
      disturbances,
    });
    return { provider: opened, protocol: opened.callback() };
  };
  let { provider, protocol } = open(secrets.signingKey);
  let tokenRequests = 0;
  serve((request, response, { path, isForeign }) => {
    // Each sign-in asks anew.
    forgetCookie(request, sessionCookie);
    if (isForeign) {
      sendPage(response, 421, messagePage("Wrong address", `${onlyHere} ${issuer}.`));
    } else if (path === "/") {
      sendPage(response, 200, homePage(issuer, [...people.values()]));
    } else if (path.startsWith("/interaction/")) {
      void interact(provider, people, request, response);
    } else {
      const work = () => void protocol(request, response);
      const isToken = path === "/token" && request.method === "POST";
      if (isToken) tokenRequests += 1;
      if (!isToken || !disturbances.answer(request, response, work)) work();
    }
  });
  return {
    issuer,
    port,
    setPerson: (person) => void people.set(person.id, person),
    removePerson: (id) => void people.delete(id),
    async rotateKey() {
      ({ provider, protocol } = open((await generateSecrets()).signingKey));
    },
    disturb: disturbances.set,
    tokenRequests: () => tokenRequests,
    close,
  };
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
      sendPage(response, 200, signInPage(page));
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
    sendPage(response, 400, messagePage("This sign-in is over", text));
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > maxFormBytes) {
      throw new Error("The form is too large.");
    }
  }
  return new URLSearchParams(text);
}
