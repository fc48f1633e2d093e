import { randomUUID } from "node:crypto";
import { createSignalReceiptCounter } from "../../src/signals/count-receipts.js";
import type { PollContext } from "../../src/signals/poll-streams.js";
import { signalStreamRow } from "../../src/platform/vault/rows.js";
import { createOutboundClient } from "../../src/platform/outbound/outbound-fetch.js";
import { createSecret, hashSecret } from "../../src/protocol/secrets.js";
import type { IdentityProvider } from "../../src/store/identity-providers.js";
import type { SignalStream } from "../../src/store/signal-streams.js";
import type { User } from "../../src/store/users.js";
import { createAdminServer } from "./admin.js";
import { startTransmitter, transmitterToken } from "./transmitter.js";

export const caep = "https://schemas.openid.net/secevent/caep/event-type/";
export const risc = "https://schemas.openid.net/secevent/risc/event-type/";
export const receiver = "https://receiver.example";

/** How a stream is pushed to, in a test. */
export interface Push {
  readonly credential?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/**
 * A server, the provider of its people that transmits signals, and people with sessions and apps.
 *
 * @param environment - what the server's environment has besides
 */
export async function startSignalWorld(environment: Readonly<Record<string, string>> = {}) {
  const server = await createAdminServer(environment);
  const { context, clock, database } = server;
  const { store, credentials, log } = context;
  const transmitter = await startTransmitter({ clock });
  const outbound = createOutboundClient({ allowInsecureLoopback: true, timeoutSeconds: 1 });
  const at = () => new Date(clock());
  const saved = async (change: Partial<IdentityProvider> = {}): Promise<IdentityProvider> => {
    const provider: IdentityProvider = {
      id: randomUUID(),
      key: `provider-${randomUUID()}`,
      name: "Signals",
      issuer: transmitter.issuer,
      clientId: "authz",
      clientSecret: null,
      tokenEndpointAuthMethod: "none",
      discoveryUrl: null,
      scopes: ["openid", "email"],
      allowedEmailDomains: ["acme.example"],
      enabled: true,
      ...change,
    };
    await store.identityProviders.save(provider, at());
    return provider;
  };
  const provider = await saved({ key: "idp" });
  const secret = createSecret();

  const addStream = async (change: Partial<SignalStream> = {}): Promise<SignalStream> => {
    const id = randomUUID();
    const stream: SignalStream = {
      id,
      key: `s-${id}`,
      name: "Stream",
      identityProviderId: provider.id,
      transmitter: transmitter.issuer,
      configurationUrl: `${transmitter.issuer}/.well-known/ssf-configuration`,
      streamId: "stream-1",
      audience: receiver,
      delivery: "push",
      pollUrl: null,
      token: null,
      credentialHash: hashSecret(secret),
      opaqueSubjects: "ignored",
      maxAgeSeconds: 7 * 24 * 3600,
      enabled: true,
      ...change,
    };
    await store.signalStreams.insertMissing(stream, at());
    return stream;
  };

  let number = 0;
  return {
    server,
    store,
    credentials,
    clock,
    database,
    transmitter,
    provider,
    at,
    addProvider: saved,
    addStream,
    /** A stream that is polled, whose token is sealed. */
    async addPolled(change: Partial<SignalStream> = {}) {
      const id = randomUUID();
      const token = await credentials.seal(transmitterToken, signalStreamRow(id));
      const polled = {
        delivery: "poll",
        pollUrl: `${transmitter.issuer}/ssf/poll`,
        credentialHash: null,
      } as const;
      return await addStream({ id, ...polled, token, ...change });
    },
    /** Somebody with an account at the provider whose `sub` is the name, and a session there, named `sid`. */
    async addPerson(change: { providerId?: string; sid?: string | null } = {}) {
      const { providerId = provider.id } = change;
      number += 1;
      const name = `person-${number}`;
      const email = `${name}@acme.example`;
      const user = await store.transaction((tx) =>
        tx.users.signIn({ providerId, subject: name, email, at: at() }),
      );
      const person = { user, subject: name, email, sid: `sid-${name}` };
      await openSession(person, change.sid === undefined ? person.sid : change.sid, providerId);
      return person;
    },
    openSession,
    async liveSessions({ id }: Pick<User, "id">) {
      return (await store.browserSessions.listLive({ userId: id, now: at(), limit: 100 })).length;
    },
    /** What polling takes, with a client of its own that waits a second. */
    pollContext(change: Partial<PollContext> = {}): PollContext & { flush: () => Promise<void> } {
      const receipts = createSignalReceiptCounter({ store, log });
      return {
        ...context,
        receipts,
        flush: receipts.flush,
        makePresenceDue: async () => false,
        client: { outboundFetch: outbound.fetch, allowInsecureLoopback: true },
        ...change,
      };
    },
    async push(
      token: string,
      { key }: Pick<SignalStream, "key">,
      { credential = secret, headers = {} }: Push = {},
    ) {
      const all = {
        "content-type": "application/secevent+jwt",
        authorization: `Bearer ${credential}`,
        ...headers,
      };
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const answer = await server.app.inject({
        method: "POST",
        url: `/signals/${key}`,
        headers: given as Record<string, string>,
        payload: token,
      });
      const body = answer.body === "" ? {} : answer.json<Record<string, unknown>>();
      return { status: answer.statusCode, body, headers: answer.headers };
    },
    async close() {
      await server.close();
      await outbound.close();
      await transmitter.close();
    },
  };

  async function openSession(
    { user }: { readonly user: Pick<User, "id"> },
    sid: string | null,
    providerId: string = provider.id,
  ): Promise<string> {
    const id = randomUUID();
    const signedInAt = at();
    const session = {
      id,
      userId: user.id,
      providerId,
      authTime: null,
      askedAnewAt: null,
      amr: [],
      signedInAt,
      expiresAt: new Date(signedInAt.getTime() + 30 * 24 * 3600 * 1000),
      userAgent: null,
    };
    await store.browserSessions.insert(session, hashSecret(createSecret()), sid);
    return id;
  }
}

export type SignalWorld = Awaited<ReturnType<typeof startSignalWorld>>;
