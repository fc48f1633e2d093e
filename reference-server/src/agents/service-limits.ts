import type { ForwardLimits } from "../forwarding/destination.js";
import { connectorMethods } from "../store/connectors.js";

/** How much one call to a service may take, of every service. */
export const serviceLimits: ForwardLimits = {
  requestBytes: 10 * 1024 * 1024,
  responseBytes: 10 * 1024 * 1024,
  timeoutSeconds: 60,
  requestsPerMinute: 600,
};

/** What services are called with. */
export const serviceMethods: readonly string[] = connectorMethods;

/** After the longest time a call can take, its process is certainly not at it any more. */
export const orphanSeconds: number = serviceLimits.timeoutSeconds + 60;
