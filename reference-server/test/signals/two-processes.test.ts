import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signalStreamRow } from "../../src/platform/vault/rows.js";
import { createSecret, hashSecret } from "../../src/protocol/secrets.js";
import type { SignalStream } from "../../src/store/signal-streams.js";
import { createBrowser } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";
import { caep, receiver, risc } from "../support/signals.js";
import { startTransmitter, type Transmitter, transmitterToken } from "../support/transmitter.js";

let system: OauthServer;
let transmitter: Transmitter;
let device: RawDevice;
let origins: readonly string[];
const credential = createSecret();
beforeAll(async () => {
  system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" });
  transmitter = await startTransmitter();
  device = await RawDevice.create(system.issuer);
  origins = [system.issuer, await system.startSecondInstance()];
});
afterAll(async () => {
  await system.close();
  await transmitter.close();
});

/** A stream about the accounts of the provider that people really sign in at. */
async function addStream(change: Partial<SignalStream> = {}): Promise<void> {
  const { store } = system.server.context;
  const provider = await store.identityProviders.findByKey("acme");
  const id = randomUUID();
  const stream: SignalStream = {
    id,
    key: `s-${id}`,
    name: "Stream",
    identityProviderId: provider?.id ?? "",
    transmitter: transmitter.issuer,
    configurationUrl: `${transmitter.issuer}/.well-known/ssf-configuration`,
    streamId: "stream-1",
    audience: receiver,
    delivery: "push",
    pollUrl: null,
    token: null,
    credentialHash: hashSecret(credential),
    opaqueSubjects: "ignored",
    maxAgeSeconds: 3600,
    enabled: true,
    ...change,
  };
  await store.signalStreams.insertMissing(stream, new Date());
  pushPath = `/signals/${stream.key}`;
}
let pushPath = "";

const about = async (type: string, event: object = {}) => {
  const claims = { sub_id: { format: "iss_sub", iss: system.idp.issuer, sub: "ada" } };
  return await transmitter.sign(type, event, { claims });
};
const push = async (token: string, origin: string) =>
  await transmitter.send(token, {
    stream_id: "stream-1",
    status: "enabled",
    delivery: {
      method: "urn:ietf:rfc:8935",
      endpoint_url: `${origin}${pushPath}`,
      authorization_header: `Bearer ${credential}`,
    },
  });
const received = async () => (await system.audit("signal.received")).length;
const refresh = async (token: string | undefined) => {
  const { status, body } = await device.refresh(token ?? "");
  return status === 200 ? undefined : body["error"];
};

test("an event that both processes receive at once is acted upon once", async () => {
  await addStream();
  await device.signIn({}, createBrowser());
  const token = await about(`${caep}session-revoked`);
  const before = await received();
  const answers = await Promise.all([...origins, ...origins].map((origin) => push(token, origin)));
  expect(answers.map((answer) => answer?.status)).toEqual([202, 202, 202, 202]);
  expect((await received()) - before).toBe(1);
});

test("a deleted credential at one process pauses the person at the other, until the next sign-in", async () => {
  await addStream();
  const { refresh_token: token } = await device.signIn({}, createBrowser());
  const event = { change_type: "delete", credential_type: "fido2-roaming" };
  expect((await push(await about(`${caep}credential-change`, event), origins[1] ?? ""))?.status).toBe(202);
  expect(await refresh(token)).toBe("access_denied");
  await device.signIn({}, createBrowser());
  expect(await refresh(token)).toBe(undefined);
});

test("a polled event is taken by one process, and a disabled account ends what the person had", async () => {
  const { credentials } = system.server.context;
  const id = randomUUID();
  const { refresh_token: token } = await device.signIn({}, createBrowser());
  const before = await received();
  const event = await about(`${risc}account-disabled`);
  await transmitter.send(event, {
    stream_id: "s",
    status: "enabled",
    delivery: { method: "urn:ietf:rfc:8936" },
  });
  await addStream({
    id,
    delivery: "poll",
    pollUrl: `${transmitter.issuer}/ssf/poll`,
    credentialHash: null,
    token: await credentials.seal(transmitterToken, signalStreamRow(id)),
  });
  await expect.poll(received, { timeout: 20_000 }).toBe(before + 1);
  expect(await refresh(token)).toBe("invalid_grant");
  await expect.poll(() => transmitter.queue.size, { timeout: 20_000 }).toBe(0);
});
