import { createProofSigner } from "@authz/dpop";
import { otherKey } from "../support/jwt.js";
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

/** Every refusal of the token endpoint that is not about the assertion itself. */
export const refusals: readonly TokenRefusal[] = [
  {
    name: "no grant type",
    send: (world) => world.exchange({ grant_type: "", assertion: world.assertion() }),
    error: "invalid_request",
    reason: "grant_type_missing",
  },
  {
    name: "another grant type",
    send: (world) => world.exchange({ grant_type: "authorization_code", code: "x" }),
    error: "unsupported_grant_type",
    reason: "grant_type_unknown",
  },
  {
    name: "no assertion",
    send: (world) => world.exchange({}),
    error: "invalid_request",
    reason: "assertion_missing",
  },
  {
    name: "an empty assertion",
    send: (world) => world.exchange({ assertion: "" }),
    error: "invalid_request",
    reason: "assertion_missing",
  },
  {
    name: "another client",
    send: (world) => world.exchange({ assertion: world.assertion(), client_id: "other" }),
    error: "invalid_grant",
    reason: "client_mismatch",
  },
  {
    name: "another resource",
    send: (world) =>
      world.exchange({ assertion: world.assertion(), resource: "https://other.example.com/api" }),
    error: "invalid_target",
    reason: "resource_mismatch",
  },
  {
    name: "a resource that is no address",
    send: (world) => world.exchange({ assertion: world.assertion(), resource: "contracts" }),
    error: "invalid_target",
    reason: "resource_mismatch",
  },
  {
    name: "its own resource with a query",
    send: (world) => world.exchange({ assertion: world.assertion(), resource: `${resource}?x=1` }),
    error: "invalid_target",
    reason: "resource_mismatch",
  },
  {
    name: "a malformed scope",
    send: (world) =>
      world.exchange({ assertion: world.assertion(), scope: "contracts:read  contracts:write" }),
    error: "invalid_scope",
    reason: "scope_malformed",
  },
  {
    name: "a scope beyond the assertion",
    send: (world) => world.exchange({ assertion: world.assertion(), scope: "contracts:sign" }),
    error: "invalid_scope",
    reason: "scope_not_granted",
  },
  {
    name: "a scope that this service does not know, though the assertion has it",
    send: (world) =>
      world.exchange({ assertion: world.assertion(set("scope", "other:read")), scope: "other:read" }),
    error: "invalid_scope",
    reason: "scope_not_granted",
  },
  {
    name: "an assertion without any scope of this service",
    send: (world) => world.exchange({ assertion: world.assertion(set("scope", "other:read")) }),
    error: "invalid_scope",
    reason: "scope_empty",
  },
  {
    name: "an assertion with an empty scope",
    send: (world) => world.exchange({ assertion: world.assertion(set("scope", "")) }),
    error: "invalid_scope",
    reason: "scope_empty",
  },
  {
    name: "a bound assertion without a proof",
    send: (world) => world.exchange({ assertion: world.assertion() }, []),
    error: "invalid_grant",
    reason: "proof_missing",
  },
  {
    name: "an empty proof header",
    send: (world) => world.exchange({ assertion: world.assertion() }, [""]),
    error: "invalid_dpop_proof",
    reason: "proof_missing",
  },
  {
    name: "a malformed proof",
    send: (world) => world.exchange({ assertion: world.assertion() }, ["nonsense"]),
    error: "invalid_dpop_proof",
    reason: "dpop_not_compact",
  },
  {
    name: "two proofs",
    send: (world) => world.exchange({ assertion: world.assertion() }, [proof(world), proof(world)]),
    error: "invalid_dpop_proof",
    reason: "proof_repeated",
  },
  {
    name: "two proofs that Fetch joined",
    send: (world) => world.exchange({ assertion: world.assertion() }, [`${proof(world)}, ${proof(world)}`]),
    error: "invalid_dpop_proof",
    reason: "dpop_not_compact",
  },
  {
    name: "a proof for another method",
    send: (world) => world.exchange({ assertion: world.assertion() }, [proof(world, "GET")]),
    error: "invalid_dpop_proof",
    reason: "dpop_wrong_method",
  },
  {
    name: "a proof for another address",
    send: (world) =>
      world.exchange({ assertion: world.assertion() }, [proof(world, "POST", `${resource}/x`)]),
    error: "invalid_dpop_proof",
    reason: "dpop_wrong_url",
  },
  {
    name: "a stale proof",
    send: (world) => {
      const stale = proof(world);
      world.clock.advance(61);
      return world.exchange({ assertion: world.assertion() }, [stale]);
    },
    error: "invalid_dpop_proof",
    reason: "dpop_too_old",
  },
  {
    name: "a proof of another key",
    send: (world) => {
      const other = createProofSigner(otherKey, { clock: world.clock });
      return world.exchange({ assertion: world.assertion() }, [
        other.sign({ method: "POST", url: tokenEndpoint }),
      ]);
    },
    error: "invalid_grant",
    reason: "proof_key_mismatch",
  },
  {
    name: "an assertion that was used before",
    send: async (world) => {
      const assertion = world.assertion();
      await world.exchange({ assertion });
      return world.exchange({ assertion });
    },
    error: "invalid_grant",
    reason: "jwt_replayed",
  },
  {
    name: "a proof that was used before",
    send: async (world) => {
      const used = proof(world);
      await world.exchange({ assertion: world.assertion() }, [used]);
      return world.exchange({ assertion: world.assertion() }, [used]);
    },
    error: "invalid_dpop_proof",
    reason: "dpop_replayed",
  },
];
