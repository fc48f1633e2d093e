import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { z } from "zod";
import { type FaultCode, fault, type FieldFault } from "../objects/check.js";
import type { signalStreamShape } from "../objects/signal-stream.js";
import { signalStreamRow } from "../platform/vault/rows.js";
import { OutboundError } from "../platform/outbound/outbound-error.js";
import { VaultError } from "../platform/vault/key-ring.js";
import type { Vault } from "../platform/vault/vault.js";
import { createSecret, hashSecret } from "../protocol/secrets.js";
import { paths } from "../protocol/vocabulary.js";
import { full, invalid, notFound, taken } from "../registry/refusal.js";
import { changedFields, given, sealSecret, type Work } from "../registry/work.js";
import type { ListedSignalStream, SignalStream } from "../store/signal-streams.js";
import type { Store } from "../store/store.js";
import { outboundMessage } from "../text/outbound-message.js";
import { requestedEvents } from "./events.js";
import { openManagedStream } from "./stream-token.js";
import {
  createStream,
  discoverTransmitter,
  readStream,
  removeStream,
  setStreamStatus,
  type PushTarget,
  type StreamConfiguration,
  type TransmitterClient,
  TransmitterError,
  updateStream,
} from "./transmitter.js";

/** Maximum number of streams. */
const maximumStreams = 100;

type Wanted = z.output<typeof signalStreamShape>;

/** What an administrator changes of a stream. The transmitter's part of it stays. */
export type SignalStreamChange = {
  readonly [Name in "name" | "token" | "opaqueSubjects" | "maxAgeSeconds" | "enabled"]?:
    | Wanted[Name]
    | undefined;
};

/** What asking a transmitter for a stream takes. */
export interface StreamSources {
  readonly store: Pick<Store, "signalStreams" | "identityProviders">;
  readonly credentials: Vault;
  readonly client: TransmitterClient;
  /** Of this server. */
  readonly issuer: string;
}

/** Where a transmitter pushes the events of a stream. */
export function pushUrlOf(issuer: string, { key }: Pick<SignalStream, "key">): string {
  return `${issuer}${paths.signals}/${key}`;
}

/**
 * Reads the transmitter's metadata, and creates the stream there or reads the one that exists. Asks other servers, so it comes before the
 * transaction.
 *
 * @throws {Refusal}
 */
export async function prepareStream(wanted: Wanted, sources: StreamSources): Promise<SignalStream> {
  const { store, credentials, issuer } = sources;
  const { key, name, delivery, token, opaqueSubjects, maxAgeSeconds, enabled, transmitter } = wanted;
  if ((await store.signalStreams.findByKey(key)) !== undefined) throw taken("signalStream", { key }, "key");
  if ((await store.signalStreams.count()) >= maximumStreams) throw full("signalStreams", maximumStreams);
  const provider = await store.identityProviders.findByKey(wanted.provider);
  if (provider === undefined)
    throw invalid(fault("provider", "unknownIdentityProvider", { key: wanted.provider }));
  if (token === undefined && (delivery === "poll" || wanted.streamId === null))
    throw invalid(fault("token", "transmitterTokenMissing"));
  const id = randomUUID();
  const credential = createSecret();
  const found = await findStream(wanted, { credential, pushUrl: pushUrlOf(issuer, { key }) }, sources);
  const createdThere = wanted.streamId === null && delivery === "push";
  return {
    id,
    key,
    name,
    identityProviderId: provider.id,
    transmitter,
    configurationUrl: found.configurationUrl,
    streamId: found.streamId,
    audience: found.audience,
    delivery,
    pollUrl: found.pollUrl ?? null,
    token: token === undefined ? null : await credentials.seal(token, signalStreamRow(id)),
    // An existing stream has no credential of ours yet.
    credentialHash: createdThere ? hashSecret(credential) : null,
    opaqueSubjects,
    maxAgeSeconds,
    enabled,
  };
}

async function findStream(
  { transmitter, delivery, token, streamId, audience, name }: Wanted,
  push: { readonly credential: string; readonly pushUrl: string },
  { client }: StreamSources,
): Promise<StreamConfiguration & { readonly configurationUrl: string }> {
  const metadata = await refusing("transmitter", () => discoverTransmitter(transmitter, client));
  const { configurationUrl } = metadata;
  if (token === undefined) {
    if (streamId === null) throw invalid(fault("token", "transmitterTokenMissing"));
    if (audience === null) throw invalid(fault("audience", "transmitterAudienceMissing"));
    return { configurationUrl, streamId, audience, pollUrl: undefined };
  }
  const managing = { metadata, client };
  const { credential, pushUrl } = push;
  const wanted = {
    delivery,
    push: delivery === "push" ? { url: pushUrl, credential } : undefined,
    events: requestedEvents,
    description: name,
  };
  const found = await refusing("token", () =>
    streamId === null ? createStream(wanted, token, managing) : readStream(streamId, token, managing),
  );
  if (delivery === "poll" && found.pollUrl === undefined)
    throw invalid(fault("delivery", "transmitterNoPoll"));
  const pollUrl = delivery === "poll" ? found.pollUrl : undefined;
  return { ...found, pollUrl, audience: audience ?? found.audience, configurationUrl };
}

/** Stores a stream that was prepared. @throws {Refusal} `already_exists` */
export async function insertStream(stream: SignalStream, { store, at, audit }: Work): Promise<void> {
  const { key } = stream;
  if (!(await store.signalStreams.insertMissing(stream, at))) throw taken("signalStream", { key }, "key");
  await audit({ type: "signal_stream.created", data: { key } });
}

/**
 * Pauses or resumes a stream at its transmitter, as far as that can be asked. A transmitter that is away must not keep a stream from being
 * paused here.
 *
 * @throws {Refusal} It could not be resumed.
 */
export async function applyStatus(
  stream: SignalStream,
  { enabled }: SignalStreamChange,
  sources: Pick<StreamSources, "credentials" | "client">,
): Promise<void> {
  if (enabled === undefined || enabled === stream.enabled) return;
  const set = async () => {
    const managed = await openManagedStream(stream, sources);
    if (managed?.metadata.statusEndpoint === undefined) return;
    const { token, ...managing } = managed;
    const { streamId } = stream;
    await setStreamStatus({ streamId, status: enabled ? "enabled" : "paused" }, token, managing);
  };
  if (enabled) return await refusing("enabled", set);
  try {
    await set();
  } catch (error) {
    if (!(error instanceof TransmitterError)) throw error;
  }
}

/** Changes a stream here. */
export async function changeStream(
  { before, change }: { readonly before: ListedSignalStream; readonly change: SignalStreamChange },
  { store, credentials, at, audit }: Work,
): Promise<void> {
  const { token: newToken, ...members } = change;
  const { id, key, name, opaqueSubjects, maxAgeSeconds, enabled, token } = before;
  const sealed =
    newToken === undefined
      ? token
      : await sealSecret({ secret: newToken, row: signalStreamRow(id), stored: token }, credentials);
  const stored = { name, opaqueSubjects, maxAgeSeconds, enabled, token };
  const after = { ...stored, ...given(members), token: sealed };
  const fields = changedFields(stored, after);
  if (fields.length === 0) return;
  const { provider: _provider, counts: _counts, ...kept } = before;
  await store.signalStreams.save({ ...kept, ...after }, at);
  // What the transmitter said before it was resumed says nothing about it now.
  if (after.enabled && !enabled) await store.signalStreams.setStatus(id, "enabled");
  await audit({ type: "signal_stream.changed", data: { key, fields } });
}

/**
 * Removes a stream at its transmitter, if there is a token. A transmitter that does not answer keeps it: what it still sends is refused
 * here.
 */
export async function removeAtTransmitter(
  stream: SignalStream,
  sources: Pick<StreamSources, "credentials" | "client"> & { readonly log: Pick<Logger, "warn"> },
): Promise<void> {
  const { key, streamId } = stream;
  try {
    const managed = await openManagedStream(stream, sources);
    if (managed === undefined) return;
    const { token, ...managing } = managed;
    await removeStream(streamId, token, managing);
  } catch (error) {
    if (!(error instanceof TransmitterError) && !(error instanceof VaultError)) throw error;
    sources.log.warn(
      { code: "SIGNAL_STREAM_LEFT_AT_TRANSMITTER", stream: key, streamId, reason: error.message },
      "A stream was removed here, and its transmitter still has it.",
    );
  }
}

/** Makes the credential that the transmitter presents from now on. It is shown once. */
export async function replaceCredential({ id, key }: SignalStream, { store, audit }: Work): Promise<string> {
  const credential = createSecret();
  await store.signalStreams.setCredential(id, hashSecret(credential));
  await audit({ type: "signal_stream.credential_replaced", data: { key } });
  return credential;
}

/**
 * Gives the transmitter the credential, if there is a token. Returns whether it has taken it: otherwise an administrator enters it there.
 */
export async function pushAtTransmitter(
  stream: SignalStream,
  push: PushTarget,
  sources: Pick<StreamSources, "credentials" | "client"> & { readonly log: Pick<Logger, "warn"> },
): Promise<boolean> {
  const { key, streamId } = stream;
  try {
    const managed = await openManagedStream(stream, sources);
    if (managed === undefined) return false;
    const { token, ...managing } = managed;
    await updateStream({ streamId, push }, token, managing);
    return true;
  } catch (error) {
    if (!(error instanceof TransmitterError) && !(error instanceof VaultError)) throw error;
    sources.log.warn(
      { code: "SIGNAL_CREDENTIAL_NOT_TAKEN", stream: key, reason: error.message },
      "A transmitter was not given its new credential; enter it there.",
    );
    return false;
  }
}

/** @throws {Refusal} `not_found` */
export async function findSignalStream(
  store: Pick<Store, "signalStreams">,
  key: string,
): Promise<ListedSignalStream> {
  const stream = await store.signalStreams.describe(key);
  if (stream === undefined) throw notFound("signalStream", { key });
  return stream;
}

/** Asks a transmitter, and puts into words what it does not do. @throws {Refusal} `invalid_request` */
export async function refusing<Result>(field: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TransmitterError)) throw error;
    throw invalid(describeProblem(field, error));
  }
}

function describeProblem(field: string, error: TransmitterError): FieldFault {
  const { problem, values, cause } = error;
  if (cause instanceof OutboundError) return { path: field, message: outboundMessage(cause) };
  if (problem === "unreachable") throw error;
  const metadata = problem === "metadata" || problem === "issuer";
  return fault(metadata ? "transmitter" : field, codes[problem], values);
}

const codes = {
  metadata: "transmitterMetadata",
  issuer: "transmitterIssuer",
  unsupported: "transmitterUnsupported",
  unauthorized: "transmitterUnauthorized",
  conflict: "transmitterConflict",
  status: "transmitterStatus",
  malformed: "transmitterMalformed",
} as const satisfies Record<Exclude<TransmitterError["problem"], "unreachable">, FaultCode>;
