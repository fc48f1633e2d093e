import type { OutboundError } from "../platform/outbound/outbound-error.js";
import type { Message } from "../text/message.js";

/** The reason why an address was not fetched, for the user who entered it. */
export function outboundMessage({ reason, values }: OutboundError): Message {
  const code = reason === "invalid_url" && values.origin !== undefined ? "credentials" : reason;
  return { key: `administration.outbound.${code}`, values: { ...values } };
}
