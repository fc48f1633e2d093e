import { createPrivateKey, type JsonWebKey, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import { type DevIdp, generateSecrets, startDevIdp } from "@authz/dev-idp";
import { hashSecret } from "authz-server/dist/protocol/secrets.js";
import type { Server } from "authz-server/dist/server.js";
import { Browser, readForm } from "authz-tools/scriptless-browser";
import { emailOf } from "../authz/people.js";

/** An identity provider that also sends logout tokens and security events. */
export interface Provider {
  readonly key: string;
  readonly idp: DevIdp;
  readonly signingKey: KeyObject;
}

/** What the server is called at its providers. */
export const clientOfServer = "authz";
/** The stream of security events of the first provider. */
export const stream = {
  key: "stream",
  audience: "https://receiver.example",
  credential: randomBytes(32).toString("base64url"),
};

/** Refusals of up to five people at once count at a provider, so those who are refused are spread over four. */
const providerKeys = ["acme", "presence-1", "presence-2", "presence-3", "presence-4"];

/** The first one for all, the others for those whose provider is asked about them. */
export async function startProviders(issuer: string, people: number): Promise<readonly Provider[]> {
  const callback = `${issuer}/sign-in/callback`;
  return await Promise.all(
    providerKeys.map(async (key) => {
      const secrets = await generateSecrets();
      const idp = await startDevIdp({
        clients: [
          {
            clientId: clientOfServer,
            clientSecret: clientOfServer,
            redirectUris: [callback, `${callback}/${key}`],
          },
        ],
        people: Array.from({ length: people }, (_, person) => ({
          id: subjectOf(person),
          name: `Person ${person}`,
          email: emailOf(person),
        })),
        secrets,
      });
      const signingKey = createPrivateKey({ key: secrets.signingKey as JsonWebKey, format: "jwk" });
      return { key, idp, signingKey };
    }),
  );
}

/** Where people sign in, as in a registry file. */
export function describeProviders(providers: readonly Provider[]): readonly object[] {
  return providers.map(({ key, idp }) => ({
    key,
    name: key,
    issuer: idp.issuer,
    clientId: clientOfServer,
    clientSecret: clientOfServer,
    scopes: ["openid", "profile", "email"],
    allowedEmailDomains: ["acme.example"],
    logoutEndsApps: true,
  }));
}

/** The account of a person at every provider. */
export function subjectOf(person: number): string {
  return `subject-${person}`;
}

/** A stream that the provider pushes, signed with the keys of its sign-ins. */
export async function addStream({ store }: Server["context"], { key, idp }: Provider): Promise<void> {
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
export async function signIn(
  { provider, subject }: { readonly provider: Provider; readonly subject: string },
  issuer: string,
): Promise<Browser> {
  const browser = new Browser();
  const choice = await browser.open(`${issuer}/sign-in/start?provider=${provider.key}`);
  const { status, html } = await browser.submit(readForm(choice), { person: subject });
  if (status !== 200) throw new Error(`A sign-in ended with ${status}: ${html.slice(0, 2000)}`);
  return browser;
}
