import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { Refusals } from "../audit/refusals.js";
import type { ProviderKeys } from "../sign-in/provider-keys.js";
import type { Store } from "../store/store.js";
import type { SignalReceiptCounter } from "./count-receipts.js";

/** What receiving signals depends on. */
export interface SignalContext {
  readonly store: Store;
  readonly providerKeys: ProviderKeys;
  readonly refusals: Pick<Refusals, "from">;
  readonly receipts: Pick<SignalReceiptCounter, "count">;
  /** Makes the next issuance ask the provider about a person. Returns whether it is asked about them at all. */
  readonly makePresenceDue: (
    userId: string,
    work: { readonly store: Store; readonly at: Date },
  ) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One token that arrived. */
export interface Receipt {
  readonly context: SignalContext;
  readonly requestId: string;
  /** Where it came from: an address, or the stream that was polled. */
  readonly from: string;
  /** The `jti` that the transmitter gave it in the answer to a poll. */
  readonly tokenId?: string;
}
