import type { OutboundError } from "../platform/outbound/outbound-error.js";
import type { Message } from "../text/message.js";

/** Why an address that somebody typed was not fetched, to be said to them. */
export function outboundMessage({ reason, values }: OutboundError): Message {
  const code = reason === "invalid_url" && values.origin !== undefined ? "credentials" : reason;
  return { key: `administration.outbound.${code}`, values: { ...values } };
}
