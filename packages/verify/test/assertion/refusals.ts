import { createProofSigner } from "@authz/dpop";
import { type JwtDraft, otherKey } from "../support/jwt.js";
import { changes } from "../support/jwt-refusals.js";
import { resource, tokenEndpoint, type World } from "../support/world.js";

const { set } = changes;

/** A token request with one fault. */
export interface TokenRefusal {
  readonly name: string;
  readonly send: (world: World) => ReturnType<World["exchange"]>;
  readonly error: string;
  readonly reason: string;
}

/** A proof for the token endpoint. */
export const proof = (world: World, method = "POST", url = tokenEndpoint): string =>
  world.client.sign({ method, url });

type Send = TokenRefusal["send"];

/** Sends a valid assertion with more parameters. */
const withParameters =
  (parameters: Record<string, string>): Send =>
  (world) =>
    world.exchange({ assertion: world.assertion(), ...parameters });
/** Sends an assertion with one claim changed. */
const withAssertion =
  (change: (draft: JwtDraft) => void, parameters: Record<string, string> = {}): Send =>
  (world) =>
    world.exchange({ assertion: world.assertion(change), ...parameters });
/** Sends a valid assertion with these proofs. */
const withProofs =
  (proofs: (world: World) => readonly string[]): Send =>
  (world) =>
    world.exchange({ assertion: world.assertion() }, proofs(world));

const rows: readonly (readonly [name: string, send: Send, error: string, reason: string])[] = [
  ["no grant type", withParameters({ grant_type: "" }), "invalid_request", "grant_type_missing"],
  [
    "another grant type",
    (world) => world.exchange({ grant_type: "authorization_code", code: "x" }),
    "unsupported_grant_type",
    "grant_type_unknown",
  ],
  ["no assertion", (world) => world.exchange({}), "invalid_request", "assertion_missing"],
  ["an empty assertion", withParameters({ assertion: "" }), "invalid_request", "assertion_missing"],
  ["another client", withParameters({ client_id: "other" }), "invalid_grant", "client_mismatch"],
  [
    "another resource",
    withParameters({ resource: "https://other.example.com/api" }),
    "invalid_target",
    "resource_mismatch",
  ],
  [
    "a resource that is no address",
    withParameters({ resource: "contracts" }),
    "invalid_target",
    "resource_mismatch",
  ],
  [
    "its own resource with a query",
    withParameters({ resource: `${resource}?x=1` }),
    "invalid_target",
    "resource_mismatch",
  ],
  [
    "a malformed scope",
    withParameters({ scope: "contracts:read  contracts:write" }),
    "invalid_scope",
    "scope_malformed",
  ],
  [
    "a scope beyond the assertion",
    withParameters({ scope: "contracts:sign" }),
    "invalid_scope",
    "scope_not_granted",
  ],
  [
    "a scope that this service does not know, though the assertion has it",
    withAssertion(set("scope", "other:read"), { scope: "other:read" }),
    "invalid_scope",
    "scope_not_granted",
  ],
  [
    "an assertion without any scope of this service",
    withAssertion(set("scope", "other:read")),
    "invalid_scope",
    "scope_empty",
  ],
  ["an assertion with an empty scope", withAssertion(set("scope", "")), "invalid_scope", "scope_empty"],
  ["a bound assertion without a proof", withProofs(() => []), "invalid_grant", "proof_missing"],
  ["an empty proof header", withProofs(() => [""]), "invalid_dpop_proof", "proof_missing"],
  ["a malformed proof", withProofs(() => ["nonsense"]), "invalid_dpop_proof", "dpop_not_compact"],
  ["two proofs", withProofs((world) => [proof(world), proof(world)]), "invalid_dpop_proof", "proof_repeated"],
  [
    "two proofs that Fetch joined",
    withProofs((world) => [`${proof(world)}, ${proof(world)}`]),
    "invalid_dpop_proof",
    "dpop_not_compact",
  ],
  [
    "a proof for another method",
    withProofs((world) => [proof(world, "GET")]),
    "invalid_dpop_proof",
    "dpop_wrong_method",
  ],
  [
    "a proof for another address",
    withProofs((world) => [proof(world, "POST", `${resource}/x`)]),
    "invalid_dpop_proof",
    "dpop_wrong_url",
  ],
  [
    "a stale proof",
    withProofs((world) => {
      const stale = proof(world);
      world.clock.advance(61);
      return [stale];
    }),
    "invalid_dpop_proof",
    "dpop_too_old",
  ],
  [
    "a proof of another key",
    withProofs(({ clock }) => [
      createProofSigner(otherKey, { clock }).sign({ method: "POST", url: tokenEndpoint }),
    ]),
    "invalid_grant",
    "proof_key_mismatch",
  ],
  [
    "an assertion that was used before",
    async (world) => {
      const assertion = world.assertion();
      await world.exchange({ assertion });
      return world.exchange({ assertion });
    },
    "invalid_grant",
    "jwt_replayed",
  ],
  [
    "a proof that was used before",
    async (world) => {
      const used = proof(world);
      await world.exchange({ assertion: world.assertion() }, [used]);
      return world.exchange({ assertion: world.assertion() }, [used]);
    },
    "invalid_dpop_proof",
    "dpop_replayed",
  ],
];

/** Every refusal of the token endpoint that is not about the assertion itself. */
export const refusals: readonly TokenRefusal[] = rows.map(([name, send, error, reason]) => ({
  name,
  send,
  error,
  reason,
}));
