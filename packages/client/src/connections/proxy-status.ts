/** Who speaks in an answer through a connection. */
export type Speaker = "third_party" | "server" | "unknown";

/** Far more than all members together need; a longer header is ignored. */
const maximumLength = 2_048;
const ours = /^\s*(?:authz|"authz")\s*(?:;|$)/;
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const memberPattern = new RegExp(`(?:[^",]|${quoted})+`, "g");
const parameterPattern = new RegExp(`(?:[^";]|${quoted})+`, "g");

/**
 * Reads from the `Proxy-Status` header whether an answer is the third party's (`authz; received-status=200`) or the server's own
 * refusal (`authz; error=…`). Others on the way may add members of their own.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9209#section-2 | RFC 9209 §2}
 */
export function speakerOf(proxyStatus: string | undefined): Speaker {
  if (proxyStatus === undefined || proxyStatus.length > maximumLength) return "unknown";
  const parameters = (proxyStatus.match(memberPattern) ?? [])
    .filter((member) => ours.test(member))
    .flatMap((member) => member.match(parameterPattern)?.slice(1) ?? [])
    .map((parameter) => parameter.trim());
  if (parameters.some((parameter) => /^received-status=\d{3}$/.test(parameter))) return "third_party";
  return parameters.some((parameter) => parameter.startsWith("error=")) ? "server" : "unknown";
}
