import { randomBytes } from "node:crypto";
import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { loadConfig } from "authz-server/dist/config/config.js";
import { createLog } from "authz-server/dist/platform/http/log.js";
import { createServer } from "authz-server/dist/server.js";
import { findFreePort } from "authz-tools/network";
import type { Browser } from "authz-tools/scriptless-browser";
import { Client } from "pg";
import { startDatabase, withClient } from "../authz/database.js";
import { clientOf, emailOf } from "../authz/people.js";
import { createSeeds, type Seeds } from "../authz/seed.js";
import {
  applyRegistry,
  type Environment,
  migrate,
  originOf,
  serverEnvironment,
  startServer,
} from "../authz/start-server.js";
import { startProcess } from "../child-process.js";
import { connect } from "../connectors/installation.js";
import type { Workplace } from "../frame.js";
import { type App, createApp } from "./app.js";
import {
  addStream,
  describeProviders,
  type Provider,
  signIn,
  startProviders,
  subjectOf,
} from "./providers.js";

/** Where calls arrive. */
export const targets = ["service", "agents", "connection"] as const;
export type Target = (typeof targets)[number];

/** A person with an account at a provider, with apps and a connection. */
interface Account {
  readonly userId: string;
  /** The account at the provider. */
  readonly subject: string;
  readonly email: string;
  readonly provider: Provider;
  /** One for each target, so that none uses up a refresh token of another. */
  readonly apps: Readonly<Record<Target, App>>;
}

/** A person who has signed in. */
export interface Member extends Account {
  readonly browser: Browser;
}

/** Two processes of authz-server on one database, with a service, a third party, and people. */
export interface Installation {
  /** Of the process that receives the signals. */
  readonly issuer: string;
  /** Of the other process. */
  readonly otherOrigin: string;
  readonly serviceOrigin: string;
  readonly thirdPartyOrigin: string;
  readonly postgresUrl: string;
  /** In order. */
  readonly members: readonly Member[];
  /** The browser of an administrator who is signed in. */
  readonly administrator: Browser;
}

export const scope = "bench:read";
const signInsAtOnce = 8;

/** @param asked - whether the provider of each person is asked about its people */
export async function startInstallation(place: Workplace, asked: readonly boolean[]): Promise<Installation> {
  const { folder, keep } = place;
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort(), findFreePort()]);
  const [port, otherPort, servicePort, thirdPartyPort] = ports;
  const [issuer, otherOrigin] = [originOf(port), originOf(otherPort)];
  const [serviceOrigin, thirdPartyOrigin] = [originOf(servicePort), originOf(thirdPartyPort)];
  const database = keep(await startDatabase(folder));
  const postgresUrl = await database.create("endings");
  const environment = {
    ...(await serverEnvironment({ postgresUrl, port })),
    AUTHZ_CONNECTOR_KEK: randomBytes(32).toString("base64"),
  };
  // The last person is the administrator.
  const providers = await startProviders(issuer, asked.length + 1);
  for (const { idp } of providers) keep({ stop: () => idp.close() });
  await migrate(postgresUrl);
  const registry = registryOf({ serviceOrigin, providers, people: asked.length });
  await applyRegistry(environment, folder, registry);
  const accounts = await seed({ environment, postgresUrl, thirdPartyOrigin, providers, asked });
  await database.analyze();

  keep(await startServer(environment, { folder }));
  keep(await startServer(environment, { folder, name: "other", port: otherPort }));
  const service = keep(startProcess(new URL("../agents/service-process.js", import.meta.url)));
  await service.ask({ port: servicePort, issuer, scope, discoveryProxyOrigin: otherOrigin });
  const thirdParty = keep(startProcess(new URL("../connectors/api-process.js", import.meta.url)));
  await thirdParty.ask({ port: thirdPartyPort });

  const members: Member[] = [];
  for (let first = 0; first < accounts.length; first += signInsAtOnce)
    members.push(
      ...(await Promise.all(
        accounts
          .slice(first, first + signInsAtOnce)
          .map(async (account) => ({ ...account, browser: await signIn(account, issuer) })),
      )),
    );
  const administrator = { provider: providers[0] as Provider, subject: subjectOf(asked.length) };
  return {
    issuer,
    otherOrigin,
    serviceOrigin,
    thirdPartyOrigin,
    postgresUrl,
    members,
    administrator: await signIn(administrator, issuer),
  };
}

/** Stores what people have before they sign in again: grants of their apps, connections; and the stream of the first provider. */
async function seed({
  environment,
  postgresUrl,
  thirdPartyOrigin,
  providers,
  asked,
}: {
  readonly environment: Environment;
  readonly postgresUrl: string;
  readonly thirdPartyOrigin: string;
  readonly providers: readonly Provider[];
  readonly asked: readonly boolean[];
}): Promise<readonly Account[]> {
  const client = new Client({ connectionString: postgresUrl });
  const seeds = await createSeeds(client);
  await client.query("UPDATE identity_providers SET presence = 'on' WHERE key LIKE 'presence-%'");
  const keyPairs = await Promise.all(asked.map(() => generateEs256KeyPair()));
  const refreshTokens = {
    service: await seeds.grants(keyPairs),
    agents: await grantAgents(seeds, client, keyPairs),
    connection: await seeds.grants(keyPairs),
  };
  const userIds = await findPeople(client, asked.length);
  const { context, close } = await createServer(loadConfig(environment), { log: createLog("error") });
  await connect(context, { origin: thirdPartyOrigin, userIds });
  const [company, ...asking] = providers;
  await addStream(context, company as Provider);
  await close();
  await client.end();

  const issuer = environment["AUTHZ_ISSUER"] ?? "";
  let askedBefore = 0;
  return keyPairs.map((keyPair, person) => {
    const appOf = (target: Target) => {
      const refreshToken = refreshTokens[target][person] ?? "";
      return createApp({ keyPair, clientId: clientOf(person), refreshToken, issuer });
    };
    const provider = asked[person] === true ? asking[askedBefore++ % asking.length] : company;
    return {
      userId: userIds[person] ?? "",
      subject: subjectOf(person),
      email: emailOf(person),
      provider: provider as Provider,
      apps: { service: appOf("service"), agents: appOf("agents"), connection: appOf("connection") },
    };
  });
}

/** A service that people and agents may call, and an administrator besides. */
function registryOf({
  serviceOrigin,
  providers,
  people,
}: {
  readonly serviceOrigin: string;
  readonly providers: readonly Provider[];
  readonly people: number;
}) {
  return {
    providers: describeProviders(providers),
    scopes: [{ key: scope, description: "Read" }],
    resources: [
      {
        key: "bench",
        name: "Benchmark",
        resource: serviceOrigin,
        authorizationServer: serviceOrigin,
        clientId: "authz-cli",
        requestPrefixes: [`${serviceOrigin}/protected`],
        scopes: [scope],
        skillDiscovery: false,
      },
    ],
    assignments: [
      ...Array.from({ length: people }, (_, person) => ({
        email: emailOf(person),
        scopes: ["authz:agents", "authz:login", scope],
      })),
      { email: emailOf(people), scopes: ["authz:administer", "authz:login"] },
    ],
  };
}

async function grantAgents(
  seeds: Seeds,
  client: Client,
  keyPairs: readonly Es256KeyPair[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>("SELECT id FROM resources WHERE key = 'agents'");
  return await seeds.grants(keyPairs, {
    resourceId: rows[0]?.id ?? "",
    scopes: ["authz:agents", "offline_access"],
  });
}

async function findPeople(client: Client, count: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string; email: string }>("SELECT id, email FROM users");
  const ids = new Map(rows.map(({ id, email }) => [email, id]));
  return Array.from({ length: count }, (_, person) => ids.get(emailOf(person)) ?? "");
}

/** Makes the confirmation of a person old, so that the next issuance asks their provider. */
export async function makeDue(postgresUrl: string, { userId }: Pick<Member, "userId">): Promise<void> {
  await withClient(postgresUrl, (client) =>
    client.query(
      "UPDATE presences SET due_at = now(), confirmed_at = now() - interval '9 hours' WHERE user_id = $1",
      [userId],
    ),
  );
}
