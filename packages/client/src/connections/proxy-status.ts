/** Who speaks in an answer through a connection. */
export type Speaker = "third_party" | "server" | "unknown";

/** Far more than all members together need; a longer header is ignored. */
const MAXIMUM_LENGTH = 2_048;
const OURS = /^\s*(?:authz|"authz")\s*(?:;|$)/;
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const MEMBERS = new RegExp(`(?:[^",]|${QUOTED})+`, "g");
const PARAMETERS = new RegExp(`(?:[^";]|${QUOTED})+`, "g");

/**
 * Reads from the `Proxy-Status` header whether an answer is the third party's (`authz; received-status=200`) or the server's own
 * refusal (`authz; error=…`). Others on the way may add members of their own.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9209#section-2 | RFC 9209 §2}
 */
export function speakerOf(proxyStatus: string | undefined): Speaker {
  if (proxyStatus === undefined || proxyStatus.length > MAXIMUM_LENGTH) return "unknown";
  const parameters = (proxyStatus.match(MEMBERS) ?? [])
    .filter((member) => OURS.test(member))
    .flatMap((member) => member.match(PARAMETERS)?.slice(1) ?? [])
    .map((parameter) => parameter.trim());
  if (parameters.some((parameter) => /^received-status=\d{3}$/.test(parameter))) return "third_party";
  return parameters.some((parameter) => parameter.startsWith("error=")) ? "server" : "unknown";
}
