import { hkdfSync } from "node:crypto";
import { type Clock, createNonceSource, type NonceSource } from "@authz/dpop";
import type { Config } from "../config/config.js";

/**
 * The nonces that proofs must carry, when the configuration wants them (RFC 9449 §8).
 *
 * They are derived from `AUTH_SESSION_SECRET`, so every process knows those of the others, and nothing is stored.
 */
export function createServerNonces(
  { dpopNonces, sessionSecret }: Pick<Config, "dpopNonces" | "sessionSecret">,
  clock: Clock,
): NonceSource | undefined {
  if (!dpopNonces) return undefined;
  const secret = hkdfSync("sha256", sessionSecret, "", "authz dpop nonces", 32);
  return createNonceSource({ secret: new Uint8Array(secret), clock });
}
