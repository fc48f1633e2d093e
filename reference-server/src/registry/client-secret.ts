import type { RuleFault } from "../objects/check.js";

/** Says that a client secret and the way the client proves who it is do not fit; nothing when they do. */
export function findSecretFaults(client: {
  readonly hasSecret: boolean;
  readonly method: "client_secret_basic" | "client_secret_post" | "none" | null;
}): readonly RuleFault[] {
  const { hasSecret, method } = client;
  if (hasSecret === (method !== "none")) return [];
  return [{ path: ["clientSecret"], code: method === "none" ? "secretNotWanted" : "secretMissing" }];
}
