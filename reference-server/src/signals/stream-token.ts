import { signalStreamRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import type { SignalStream } from "../store/signal-streams.js";
import { type Managing, readMetadata, type TransmitterClient } from "./transmitter.js";

/** A stream whose transmitter can be asked, and what that takes. */
export interface ManagedStream extends Managing {
  readonly token: string;
}

/**
 * Opens the token of a stream and reads the transmitter's metadata; `undefined` for a stream without a token.
 *
 * @throws {TransmitterError}
 * @throws {VaultError} The token cannot be opened on this server.
 */
export async function openManagedStream(
  stream: SignalStream,
  { credentials, client }: { readonly credentials: Vault; readonly client: TransmitterClient },
): Promise<ManagedStream | undefined> {
  const token = await openToken(stream, credentials);
  if (token === undefined) return undefined;
  const metadata = await readMetadata(stream.configurationUrl, stream.transmitter, client);
  return { token, metadata, client };
}

/** @throws {VaultError} */
export async function openToken(
  { id, token }: Pick<SignalStream, "id" | "token">,
  credentials: Vault,
): Promise<string | undefined> {
  return token === null ? undefined : await credentials.open(token, signalStreamRow(id));
}
