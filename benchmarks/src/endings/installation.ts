import { createPrivateKey, type KeyObject, randomBytes, randomUUID, type JsonWebKey } from "node:crypto";
import { type DevIdp, generateSecrets, startDevIdp } from "@authz/dev-idp";
import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { loadConfig } from "authz-server/dist/config/config.js";
import { createLog } from "authz-server/dist/platform/http/log.js";
import { hashSecret } from "authz-server/dist/protocol/secrets.js";
import { createServer, type Server } from "authz-server/dist/server.js";
import { findFreePort } from "authz-tools/network";
import { Browser, readForm } from "authz-tools/scriptless-browser";
import { Client } from "pg";
import { startDatabase, withClient } from "../authz/database.js";
import { clientOf, emailOf } from "../authz/people.js";
import { createSeeds, type Seeds } from "../authz/seed.js";
import { applyRegistry, migrate, originOf, serverEnvironment, startServer } from "../authz/start-server.js";
import { startProcess } from "../child-process.js";
import { connect } from "../connectors/installation.js";
import type { Workplace } from "../frame.js";
import { createApp, type App } from "./app.js";

/** Where calls arrive. */
export const targets = ["service", "agents", "connection"] as const;
export type Target = (typeof targets)[number];

/** A person who has signed in at a provider, with apps and a connection. */
export interface Member {
  readonly userId: string;
  /** The account at the provider. */
  readonly subject: string;
  readonly email: string;
  readonly provider: Provider;
  readonly browser: Browser;
  /** One for each target, so that none uses up a refresh token of another. */
  readonly apps: Readonly<Record<Target, App>>;
}

/** An identity provider that also sends logout tokens and security events. */
export interface Provider {
  readonly key: string;
  readonly idp: DevIdp;
  readonly signingKey: KeyObject;
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
export const clientOfServer = "authz";
/** The stream of security events of the first provider. */
export const stream = { key: "stream", audience: "https://receiver.example", credential: newSecret() };

/** Refusals of up to five people at once count at a provider, so those who are refused are spread over four. */
const providerKeys = ["acme", "presence-1", "presence-2", "presence-3", "presence-4"];
const signInsAtOnce = 8;

/** @param asked - whether the provider of each person is asked about its people */
export async function startInstallation(
  { folder, keep }: Workplace,
  asked: readonly boolean[],
): Promise<Installation> {
  const [port, otherPort, servicePort, apiPort] = await Promise.all([
    findFreePort(),
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ]);
  const issuer = originOf(port);
  const [serviceOrigin, thirdPartyOrigin] = [originOf(servicePort), originOf(apiPort)];
  const database = keep(await startDatabase(folder));
  const postgresUrl = await database.create("endings");
  const environment = {
    ...(await serverEnvironment({ postgresUrl, port })),
    AUTHZ_CONNECTOR_KEK: randomBytes(32).toString("base64"),
  };
  const providers = await Promise.all(providerKeys.map((key) => startProvider(key, issuer)));
  for (const { idp } of providers) keep({ stop: () => idp.close() });
  await migrate(postgresUrl);
  await applyRegistry(
    environment,
    folder,
    registryOf({ serviceOrigin, providers, people: asked.length, administrator: asked.length }),
  );

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
  await addStream(context, providers[0] as Provider);
  await close();
  await client.end();
  await database.analyze();

  keep(await startServer(environment, { folder }));
  keep(await startServer(environment, { folder, name: "other", port: otherPort }));
  const service = keep(startProcess(new URL("../agents/service-process.js", import.meta.url)));
  await service.ask({ port: servicePort, issuer, scope, discoveryProxyOrigin: originOf(otherPort) });
  const thirdParty = keep(startProcess(new URL("../connectors/api-process.js", import.meta.url)));
  await thirdParty.ask({ port: apiPort });

  const membersToBe = asked.map((isAsked, person) => {
    const provider = providers[
      isAsked ? 1 + (asked.slice(0, person).filter(Boolean).length % 4) : 0
    ] as Provider;
    const keyPair = keyPairs[person] as Es256KeyPair;
    const appOf = (target: Target) =>
      createApp({
        keyPair,
        clientId: clientOf(person),
        refreshToken: refreshTokens[target][person] ?? "",
        issuer,
      });
    return {
      userId: userIds[person] ?? "",
      subject: subjectOf(person),
      email: emailOf(person),
      provider,
      apps: { service: appOf("service"), agents: appOf("agents"), connection: appOf("connection") },
    };
  });
  const members: Member[] = [];
  for (let first = 0; first < membersToBe.length; first += signInsAtOnce) {
    const some = membersToBe.slice(first, first + signInsAtOnce);
    members.push(
      ...(await Promise.all(
        some.map(async (member) => ({ ...member, browser: await signIn(member, issuer) })),
      )),
    );
  }
  const [company] = providers;
  const administrator = await signIn(
    { provider: company as Provider, subject: subjectOf(asked.length) },
    issuer,
  );
  return {
    issuer,
    otherOrigin: originOf(otherPort),
    serviceOrigin,
    thirdPartyOrigin,
    postgresUrl,
    members,
    administrator,
  };

  async function startProvider(key: string, server: string): Promise<Provider> {
    const { signingKey, cookieKey } = await generateSecrets();
    const callback = `${server}/sign-in/callback`;
    const idp = await startDevIdp({
      clients: [
        {
          clientId: clientOfServer,
          clientSecret: clientOfServer,
          redirectUris: [callback, `${callback}/${key}`],
        },
      ],
      people: Array.from({ length: asked.length + 1 }, (_, person) => ({
        id: subjectOf(person),
        name: `Person ${person}`,
        email: emailOf(person),
      })),
      secrets: { signingKey, cookieKey },
    });
    return { key, idp, signingKey: createPrivateKey({ key: signingKey as JsonWebKey, format: "jwk" }) };
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function subjectOf(person: number): string {
  return `subject-${person}`;
}

/** A service that people and agents may call, and where people sign in. */
function registryOf({
  serviceOrigin,
  providers,
  people,
  administrator,
}: {
  readonly serviceOrigin: string;
  readonly providers: readonly Provider[];
  readonly people: number;
  readonly administrator: number;
}) {
  return {
    providers: providers.map(({ key, idp }) => ({
      key,
      name: key,
      issuer: idp.issuer,
      clientId: clientOfServer,
      clientSecret: clientOfServer,
      scopes: ["openid", "profile", "email"],
      allowedEmailDomains: ["acme.example"],
      logoutEndsApps: true,
    })),
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
      { email: emailOf(administrator), scopes: ["authz:administer", "authz:login"] },
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

/** A stream that the provider pushes, signed with the keys of its sign-ins. */
async function addStream({ store }: Server["context"], { key, idp }: Provider): Promise<void> {
  const provider = await store.identityProviders.findByKey(key);
  await store.signalStreams.insertMissing(
    {
      id: randomUUID(),
      key: stream.key,
      name: "Stream",
      identityProviderId: provider?.id ?? "",
      transmitter: idp.issuer,
      configurationUrl: `${idp.issuer}/.well-known/openid-configuration`,
      streamId: "stream-1",
      audience: stream.audience,
      delivery: "push",
      pollUrl: null,
      token: null,
      credentialHash: hashSecret(stream.credential),
      opaqueSubjects: "ignored",
      maxAgeSeconds: 3600,
      enabled: true,
    },
    new Date(),
  );
}

/** Signs a person in as a browser does. */
async function signIn(
  { provider, subject }: Pick<Member, "provider" | "subject">,
  issuer: string,
): Promise<Browser> {
  const browser = new Browser();
  const choice = await browser.open(`${issuer}/sign-in/start?provider=${provider.key}`);
  const { status, html } = await browser.submit(readForm(choice), { person: subject });
  if (status !== 200) throw new Error(`A sign-in ended with ${status}: ${html.slice(0, 2000)}`);
  return browser;
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
