import { type DevIdp, developmentPeople, startDevIdp } from "@authz/dev-idp";
import { loadConfig } from "../../src/config/config.js";
import { createLog } from "../../src/platform/http/log.js";
import { createServer, type Server } from "../../src/server.js";
import { Browser, type Form, readForm, type Visit } from "../support/browser.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { findFreePort } from "../../../tools/src/network/ports.js";

/** A server before its set-up, in two processes, and a company's provider. */
export interface FreshServer {
  readonly issuer: string;
  /** The origin of the second process. */
  readonly second: string;
  readonly database: TestDatabase;
  readonly idp: DevIdp;
  readonly log: readonly string[];
  advance(seconds: number): void;
  /** Rows of every table but the counts of requests, and what is made of the audit trail in the background. */
  countRows(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export const setupToken = String(testEnvironment()["AUTHZ_SETUP_TOKEN"]);
export const clientSecret = "a-secret-of-the-provider";

export async function startFreshServer(
  variables: Readonly<Record<string, string>> = {},
): Promise<FreshServer> {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  const idp = await startDevIdp({
    people: [
      ...developmentPeople,
      { id: "dora", name: "Dora Unverified", email: "dora@acme.example", emailVerified: false },
      { id: "emil", name: "Emil Elsewhere", email: "emil@elsewhere.example" },
    ],
    clients: [{ clientId: "authz", clientSecret, redirectUris: [`${issuer}/sign-in/callback`] }],
  });
  const log: string[] = [];
  let offset = 0;
  const startInstance = async (instancePort: number): Promise<[Server, string]> => {
    const config = loadConfig(
      testEnvironment({
        POSTGRES_URL: database.url,
        AUTHZ_ISSUER: issuer,
        AUTHZ_PORT: String(instancePort),
        ...variables,
      }),
    );
    const instance = await createServer(config, {
      log: createLog("trace", { write: (line: string) => void log.push(line) }),
      clock: () => Date.now() + offset,
    });
    return [instance, await instance.start()];
  };
  const [first] = await startInstance(port);
  const [other, second] = await startInstance(0);
  return {
    issuer,
    second,
    database,
    idp,
    log,
    advance: (seconds) => void (offset += seconds * 1000),
    async countRows() {
      const tables = await database.query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(rate_limits|audit_)' OR tablename = 'audit_events'",
      );
      const counts = tables.map(
        ({ name }) => `SELECT '${name}' AS name, count(*)::int AS count FROM ${name}`,
      );
      const rows = await database.query<{ name: string; count: number }>(counts.join(" UNION ALL "));
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    },
    async close() {
      await Promise.all([first.close(), other.close()]);
      await idp.close();
      await database.drop();
    },
  };
}

export const details = (issuer: string, change: Readonly<Record<string, string>> = {}) => ({
  administrator_email: "Ada@acme.example",
  installation_name: "Acme",
  name: "Acme accounts",
  button_label: "",
  issuer,
  discovery_url: "",
  client_id: "authz",
  client_secret: clientSecret,
  auth_method: "",
  scopes: "openid profile email",
  domains: "acme.example",
  ...change,
});

/** A set-up in a browser without JavaScript. */
export class SetUp {
  /** Whether the browser stops where the provider sends it back. */
  stopsAtCallback = false;
  readonly browser: Browser = new Browser(
    ({ pathname }) => this.stopsAtCallback && pathname === "/sign-in/callback",
  );
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  open(path = "/setup"): Promise<Visit> {
    return this.browser.open(`${this.origin}${path}`);
  }

  /** Shows the token. */
  async enter(token = setupToken): Promise<Visit> {
    return await this.browser.submit(readForm(await this.open()), { token });
  }

  /** Enters everything. */
  async describe(issuer: string, change: Readonly<Record<string, string>> = {}): Promise<Visit> {
    await this.enter();
    const page = await this.open("/setup?provider=other");
    return await this.browser.submit(readForm(page), details(issuer, change));
  }

  /** Goes to the provider, and returns the page there. */
  async leave(step: "test" | "complete"): Promise<Visit> {
    const page = await this.browser.submit(formTo(await this.open(), `/setup/${step}`));
    return page.leadsTo === undefined ? page : await this.browser.open(page.leadsTo);
  }

  /** Signs in at the provider, and returns the address that it sends the browser back to. */
  async signInUntilCallback(step: "test" | "complete", person = "ada"): Promise<URL> {
    this.stopsAtCallback = true;
    const { url } = await this.signIn(step, person);
    this.stopsAtCallback = false;
    return url;
  }

  /** Signs in at the provider, and returns this server's page. */
  async signIn(step: "test" | "complete", person = "ada"): Promise<Visit> {
    return await this.browser.submit(readForm(await this.leave(step)), { person });
  }
}

/** The form of a page that posts to a path. */
export function formTo(visit: Visit, path: string): Form {
  return readForm({ ...visit, forms: visit.forms.filter(({ action }) => action.pathname === path) });
}

/** The failing check in words, its explanation and what passed before. */
export function readChecks(visit: Visit) {
  const items = [...visit.html.matchAll(/<li class="(passed|failed|open)">(.*?)<\/li>/gs)];
  return {
    states: items.map(([, state]) => state),
    failed: items.find(([, state]) => state === "failed")?.[2] ?? "",
  };
}
