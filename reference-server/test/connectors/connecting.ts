import { connectorRow } from "../../src/platform/vault/rows.js";
import type { Connection } from "../../src/store/connections.js";
import type { ConnectorFields } from "../../src/store/connectors.js";
import { type ApiAnswer, ApiClient } from "../support/api-client.js";
import { Browser, type Form, readForm, type Visit } from "../support/browser.js";
import { testConnector } from "../support/connectors.js";
import { signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { startThirdParty, type ThirdParty } from "../support/third-party.js";

/** A person with a browser that is signed in, and a device that is logged in. */
export class Person {
  readonly name: string;
  readonly browser = new Browser(() => false);
  readonly #system: OauthServer;
  readonly #api: ApiClient;

  private constructor(system: OauthServer, name: string, api: ApiClient) {
    this.#system = system;
    this.name = name;
    this.#api = api;
  }

  static async signIn(system: OauthServer, name: string): Promise<Person> {
    const person = new Person(system, name, await ApiClient.signIn(system.issuer, name));
    await signIn(person.browser, `${system.issuer}/sign-in`, name);
    return person;
  }

  async id(): Promise<string> {
    const user = await this.#system.server.context.store.users.findByEmail(`${this.name}@acme.example`);
    return user?.id ?? "";
  }

  /** Sends a request below `/api/me/connections`. */
  async call(method: string, path: string, body?: object): Promise<ApiAnswer> {
    return await this.#api.call(method, `/api/me/connections${path}`, body && { body });
  }

  async begin(scopes?: readonly string[]): Promise<{ readonly id: string; readonly url: string }> {
    const { status, body } = await this.call("POST", "/notes/attempts", scopes && { scopes });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { id: String(body["id"]), url: String(body["url"]) };
  }

  /** The page before the third party. */
  async ask(url: string): Promise<{ readonly visit: Visit; readonly form: Form }> {
    const visit = await this.browser.open(url);
    return { visit, form: readForm(visit) };
  }

  /** From the page to where the third party sends the browser: the callback is opened unless `stop`. */
  async go(
    form: Form,
    options: { readonly scopes?: readonly string[]; readonly stop?: boolean } = {},
  ): Promise<Visit> {
    const { scopes = ["notes:write", "notes:share"], stop = false } = options;
    const others = Object.entries(form.fields).filter(([name]) => !name.startsWith("scope "));
    const chosen = Object.fromEntries([...others, ...scopes.map((scope) => [`scope ${scope}`, "on"])]);
    const going = await this.browser.submit({ ...form, fields: chosen }, { decision: "continue" });
    return await this.follow(going, stop);
  }

  async follow(going: Visit, stop = false): Promise<Visit> {
    const { leadsTo: target } = going;
    if (target === undefined) return going;
    if (!stop) return await this.browser.open(target);
    const stopping = new Browser(({ pathname }) => pathname === "/connections/callback/notes");
    return await stopping.open(target);
  }

  /** The whole way. */
  async connect(options: { readonly scopes?: readonly string[] } = {}): Promise<Visit> {
    const { url } = await this.begin();
    const { form } = await this.ask(url);
    return await this.go(form, options);
  }

  async connection(): Promise<Connection | undefined> {
    const { store } = this.#system.server.context;
    const connector = await store.connectors.findByKey("notes");
    return await store.connections.findOwn({ userId: await this.id(), connectorId: connector?.id ?? "" });
  }
}

/** A server, a third party, a connector between them, and two people who may use it. */
export interface Connecting {
  readonly system: OauthServer;
  readonly thirdParty: ThirdParty;
  readonly connector: ConnectorFields;
  readonly ada: Person;
  readonly fred: Person;
  /** Stores the connector with these changes; without any, as it was. */
  change(changes?: Partial<ConnectorFields>): Promise<void>;
  /** The connector and the third party as they were, and nobody is connected. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function startConnecting(
  environment: Readonly<Record<string, string>> = {},
): Promise<Connecting> {
  const system = await startOauthServer(environment);
  const thirdParty = await startThirdParty({ redirectUris: [`${system.issuer}/connections/callback/notes`] });
  const { store, connectorVault } = system.server.context;
  const plain = testConnector();
  const connector: ConnectorFields = {
    ...plain,
    ...connectorOf(thirdParty),
    clientSecret: await connectorVault.seal(thirdParty.client.secret, connectorRow(plain.id)),
  };
  await store.connectors.save(connector, new Date());
  const [ada, fred] = await Promise.all([Person.signIn(system, "ada"), Person.signIn(system, "fred")]);
  const change = async (changes: Partial<ConnectorFields> = {}) => {
    await store.connectors.save({ ...connector, ...changes }, new Date());
  };
  return {
    system,
    thirdParty,
    connector,
    ada,
    fred,
    change,
    async reset() {
      thirdParty.failures.clear();
      thirdParty.consent = {};
      thirdParty.person = { subject: "ada-elsewhere", email: "ada@private.example" };
      thirdParty.refreshTokens = true;
      await change();
      await system.database.query("DELETE FROM connections");
    },
    async close() {
      await system.close();
      await thirdParty.close();
    },
  };
}

function connectorOf({ issuer, api, client }: ThirdParty): Partial<ConnectorFields> {
  return {
    key: "notes",
    name: "Notes",
    issuer,
    authorizationEndpoint: `${issuer}/auth`,
    tokenEndpoint: `${issuer}/token`,
    revocationEndpoint: `${issuer}/token/revocation`,
    accountEndpoint: `${issuer}/me`,
    clientId: client.id,
    authorizationParameters: { prompt: "consent" },
    scopes: [
      { scope: "openid", description: "Know which account it is", required: true, byDefault: true },
      { scope: "email", description: "See the email address", required: true, byDefault: true },
      { scope: "offline_access", description: "Keep the access", required: true, byDefault: true },
      { scope: "notes:read", description: "Read notes", required: true, byDefault: true },
      { scope: "notes:write", description: "Write notes", required: false, byDefault: true },
      { scope: "notes:share", description: null, required: false, byDefault: false },
    ],
    requiredScopes: ["authz:login"],
    requestPrefixes: [api],
    methods: ["GET", "POST"],
  };
}
