import { randomUUID } from "node:crypto";
import type { Client } from "../../src/store/clients.js";
import type { IdentityProvider } from "../../src/store/identity-providers.js";
import type { Resource } from "../../src/store/resources.js";
import {
  type Algorithm,
  type AssertionChange,
  type AssertionProvider,
  startAssertionProvider,
} from "./assertion-provider.js";
import { type OauthServer, startOauthServer } from "./oauth-server.js";
import { type Answer, RawDevice, type TokenCall } from "./raw-device.js";
import { RegisteredClient } from "./registered-client.js";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

type Parameters = Readonly<Record<string, string | undefined>>;

/** One redemption, as a test wants to spoil it. */
export interface Redemption extends AssertionChange {
  readonly parameters?: Parameters;
  readonly provider?: AssertionProvider;
  readonly call?: TokenCall;
}

/** A server that redeems assertions of providers; Ada has an account at each of them. */
export interface AssertionWorld {
  readonly system: OauthServer;
  readonly device: RawDevice;
  /** Public, and not bound to DPoP. */
  readonly client: RegisteredClient;
  /** Takes Bearer tokens. */
  readonly open: Resource;
  readonly adaId: string;
  /** Starts a provider whose assertions are accepted. */
  addProvider(alg: Algorithm, change?: Partial<IdentityProvider>): Promise<AssertionProvider>;
  /** What a valid assertion about Ada says, besides what the provider adds. */
  claims(): Readonly<Record<string, unknown>>;
  /** Redeems an assertion without a proof, unless the call has one. */
  redeem(provider: AssertionProvider, change?: Redemption): Promise<Answer>;
  present(assertion: string, change?: Redemption): Promise<Answer>;
  addClient(change: Partial<Client>): Promise<RegisteredClient>;
  /** Makes somebody sign in at a provider, as far as the database remembers it. */
  signIn(provider: AssertionProvider, subject: string, email: string): Promise<string>;
  close(): Promise<void>;
}

export async function startAssertionWorld(): Promise<AssertionWorld> {
  const system = await startOauthServer();
  const { store } = system.server.context;
  const device = await RawDevice.create(system.issuer);
  const addClient = (change: Partial<Client>) =>
    RegisteredClient.register(system, { type: "public", dpopBound: false, ...change });
  const client = await addClient({});
  const open: Resource = {
    ...system.resource,
    id: randomUUID(),
    key: "open",
    name: "Open",
    resource: "http://127.0.0.1:3105/mcp",
    authorizationServer: "http://127.0.0.1:3105",
    requestPrefixes: ["http://127.0.0.1:3105/mcp"],
    allowsBearer: true,
  };
  await store.resources.save(open, new Date());
  const providers: AssertionProvider[] = [];
  const ids = new Map<AssertionProvider, string>();
  const signIn = async (provider: AssertionProvider, subject: string, email: string) => {
    const providerId = ids.get(provider) ?? "";
    const at = new Date();
    return (await store.transaction((tx) => tx.users.signIn({ providerId, subject, email, at }))).id;
  };

  const world: AssertionWorld = {
    system,
    device,
    client,
    open,
    adaId: "",
    signIn,
    addClient,
    async addProvider(alg, change = {}) {
      const provider = await startAssertionProvider(alg);
      providers.push(provider);
      const id = randomUUID();
      ids.set(provider, id);
      const row = {
        id,
        key: `idp-${providers.length}`,
        name: `Provider ${providers.length}`,
        issuer: provider.issuer,
        clientId: "authz",
        clientSecret: null,
        tokenEndpointAuthMethod: "none",
        discoveryUrl: null,
        scopes: ["openid", "email"],
        allowedEmailDomains: ["acme.example"],
        enabled: true,
        allowsAssertions: true,
        ...change,
      } as const;
      await store.identityProviders.save(row, new Date());
      Object.assign(world, { adaId: await signIn(provider, "ada-1", "ada@acme.example") });
      return provider;
    },
    claims: () => ({
      sub: "ada-1",
      aud: system.issuer,
      client_id: client.id,
      resource: open.resource,
      scope: "contracts:read",
    }),
    async redeem(provider, change = {}) {
      return await world.present(await provider.sign(world.claims(), change), change);
    },
    async present(assertion, { parameters = {}, call = {} } = {}) {
      const form = { grant_type: jwtBearer, client_id: client.id, assertion, ...parameters };
      return await device.token(form, { proofs: [], ...call });
    },
    async close() {
      await system.close();
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
  return world;
}
