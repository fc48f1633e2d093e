import { DpopError } from "@authz/dpop";
import { JwtError } from "@authz/dpop/jwt";
import { AuthzError } from "./errors.js";
import { printableJson } from "./printable-json.js";

/** An option of `initAuthz` that differs from the received value: the two sides are configured differently. */
export interface Mismatch {
  readonly option: "issuer" | "publicOrigin" | "clientId" | "resource";
  /** The value of the option. */
  readonly expected: string;
  /** The received value as JSON, up to 200 characters. It is not verified. */
  readonly received: string;
}

/** The cause of a refusal that a change of configuration prevents. */
export class MismatchError extends Error {
  override readonly name = "MismatchError";
  readonly mismatch: Mismatch;

  constructor(option: Mismatch["option"], expected: string, received: unknown) {
    super(`${option} does not match.`);
    const text = printableJson(received).slice(0, 200);
    this.mismatch = Object.freeze({ option, expected, received: text });
  }
}

/**
 * Runs the check of one claim. A refusal carries the option, its value, and the value received.
 *
 * @throws {JwtError}
 */
export function matching(
  option: Mismatch["option"],
  expected: string,
  received: unknown,
  check: () => void,
): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof JwtError)) throw error;
    throw new JwtError(error.reason, { cause: new MismatchError(option, expected, received) });
  }
}

/**
 * Explains the refusal of a proof. If it was made for another origin, the result says for which: then `publicOrigin` is not the
 * address at which callers reach the service. Any other error comes back unchanged. The proof is only read, not trusted.
 */
export function explainWrongUrl(error: unknown, proof: string, publicOrigin: string): unknown {
  if (!(error instanceof DpopError) || error.reason !== "wrong_url") return error;
  const origin = readOrigin(proof);
  if (origin === undefined || origin === publicOrigin) return error;
  const cause = new MismatchError("publicOrigin", publicOrigin, origin);
  return new AuthzError(error.code, `dpop_${error.reason}`, { cause });
}

function readOrigin(proof: string): string | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(proof.split(".")[1] ?? "", "base64url").toString());
    const { htu } = Object(payload) as { htu?: unknown };
    return typeof htu === "string" ? new URL(htu).origin : undefined;
  } catch {
    return undefined;
  }
}

const remedies: Readonly<Record<Mismatch["option"], (received: string) => string>> = {
  issuer: (received) =>
    `Write initAuthz(${received}, …), or sign in at the authorization server that is expected.`,
  publicOrigin: (received) =>
    `Write publicOrigin: ${received} in initAuthz, or call the service at the address that is expected.`,
  clientId: (received) =>
    `Write clientId: ${received} in initAuthz, or register the service with the client id that is expected.`,
  resource: (received) =>
    `Write resource: ${received} in initAuthz, or register the service under the one that is expected.`,
};

/** One line for the developers of the service. */
export function describeMismatch({ option, expected, received }: Mismatch): string {
  return `${option} does not match: expected ${JSON.stringify(expected)}, received ${received}. ${remedies[option](received)}`;
}
