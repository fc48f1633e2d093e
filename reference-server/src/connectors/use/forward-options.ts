import type { RefusalRecord } from "../../audit/refusals.js";
import type { CallAhead } from "../../forwarding/call-ahead.js";
import type { Forwarder } from "../../forwarding/forwarder.js";
import type { Connector } from "../../store/connectors.js";
import type { BegunConnectionCall } from "../../store/forwarded-calls.js";
import type { Store } from "../../store/store.js";
import type { Credentials } from "../refresh/credentials.js";
import type { WantedRequest } from "./admit-request.js";

export interface ForwardDependencies {
  readonly forwarder: Forwarder;
  readonly store: Pick<Store, "connectors" | "connections" | "forwardedCalls">;
  /** @throws {CredentialsError} | {@link VaultError} */
  readonly credentials: Credentials;
  /** What the connectors were when they were last used, by key; for the shape of a path, and for nothing that is decided. */
  readonly seen: Map<string, Connector>;
}

/** A request that a caller wants to have sent through a connector. */
export interface ForwardRequest extends WantedRequest {
  readonly connectorKey: string;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
  /** The call, if it was noted when the caller was identified. */
  readonly ahead?: CallAhead<BegunConnectionCall> | undefined;
}

/** What is known of a request before its caller is identified: what their token says. */
export interface ForwardRequestAhead
  extends Pick<ForwardRequest, "connectorKey" | "method" | "target" | "requestId"> {
  readonly claims: { readonly userId: string; readonly clientId: string };
}
