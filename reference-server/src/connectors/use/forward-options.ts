import type { RefusalRecord } from "../../audit/refusals.js";
import type { Forwarder } from "../../forwarding/forwarder.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { Credentials } from "../refresh/credentials.js";
import type { WantedRequest } from "./admit-request.js";

export interface ForwardDependencies {
  readonly forwarder: Forwarder;
  readonly store: Pick<Store, "connectors" | "connections" | "forwardedCalls">;
  /** @throws {CredentialsError} | {@link ConnectorKeyError} */
  readonly credentials: Credentials;
  /** What the connectors were when they were last used, by key; for the shape of a path, and for nothing that is decided. */
  readonly seen: Map<string, Connector>;
}

/** A request that a caller wants to have sent through a connector. */
export interface ForwardRequest extends WantedRequest {
  readonly connectorKey: string;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
}
