import { createSecret, hashSecret } from "../protocol/secrets.js";
import type { SignalStream } from "../store/signal-streams.js";
import type { Store } from "../store/store.js";
import type { ManagedStream } from "./stream-token.js";
import { requestVerification } from "./transmitter.js";

/**
 * Asks the transmitter for a verification event. Its state is stored before it is sent, because the event may come first.
 *
 * @throws {TransmitterError}
 */
export async function verifyStream(
  { id, streamId }: SignalStream,
  { token, ...managing }: ManagedStream,
  { store, at }: { readonly store: Pick<Store, "signalStreams">; readonly at: Date },
): Promise<void> {
  const state = createSecret();
  await store.signalStreams.requestVerification(id, { hash: hashSecret(state), at });
  await requestVerification({ streamId, state }, token, managing);
}
