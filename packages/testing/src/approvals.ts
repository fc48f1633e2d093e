import { randomUUID } from "node:crypto";
import type { Clock } from "@authz/dpop";
import { type AuthorizationDetail, challengeType, grantDetail, parseTxn } from "@authz/dpop/approval";
import { importPublicJwk, type JsonObject } from "@authz/dpop/jws";
import {
  checkAudience,
  checkIssuer,
  checkLifetime,
  checkSignature,
  JwtError,
  parseJwt,
} from "@authz/dpop/jwt";
import type { Service } from "./service-description.js";
import type { IssuerSignatures } from "./signatures.js";
import type { Answered, CallToAnswer } from "./types.js";

/** The issuer's transaction authorization endpoint, and the person behind it. */
export interface TestApprovals {
  /** Answers a posted form, as the authorization server answers a service. */
  answer(form: URLSearchParams): EndpointAnswer;
  /** Answers the waiting call as its person. */
  decide(call: CallToAnswer, answered: Answered): void;
  /** The access token for the call of a challenge that a client got. */
  tokenFor(challenge: string, thumbprint: string | undefined): string;
}

interface EndpointAnswer {
  readonly status: number;
  readonly body: object;
}

interface Asked {
  readonly id: string;
  readonly claims: JsonObject;
  state: "pending" | "approved" | "declined" | "collected";
  by: string;
}

const challengeKind = { type: challengeType, maxBytes: 4096 };
const assertionKind = { type: "client-authentication+jwt", maxBytes: 4096 };
const pendingSeconds = 600;

/** Creates the endpoint: it checks challenges and assertions, and each answer is for the call with one digest. */
export function createTestApprovals(
  { url, clock }: { readonly url: string; readonly clock: Clock },
  service: Service,
  signatures: Pick<IssuerSignatures, "transactionToken">,
): TestApprovals {
  const key = importPublicJwk(service.signingKey.publicJwk);
  const calls: Asked[] = [];

  /** @throws {JwtError} */
  function read(jwt: string, kind: typeof challengeKind, maximum: number): JsonObject {
    const parsed = parseJwt(jwt, kind);
    checkSignature(parsed, parsed.kid === service.signingKey.kid ? key : undefined);
    checkIssuer(parsed.claims, service.resource);
    checkAudience(parsed.claims, url);
    checkLifetime(parsed.claims, { now: Math.floor(clock() / 1000), maximum });
    return parsed.claims;
  }

  function collect({ claims, by }: Asked, thumbprint?: string): string {
    const [detail] = claims["authorization_details"] as readonly [AuthorizationDetail];
    const approvedAt = Math.floor(clock() / 1000);
    return signatures.transactionToken({
      challenge: claims,
      detail: grantDetail(detail, { approvedBy: by, approvedAt }),
      thumbprint,
    });
  }

  return {
    answer(form) {
      let claims: JsonObject;
      try {
        read(form.get("client_assertion") ?? "", assertionKind, 60);
        claims = read(form.get("transaction_challenge") ?? "", challengeKind, 300);
      } catch (error) {
        if (!(error instanceof JwtError)) throw error;
        return { status: 400, body: { error: "invalid_request", error_description: error.message } };
      }
      const digest = digestOf(claims);
      const last = calls.findLast((call) => digestOf(call.claims) === digest);
      if (last?.state === "declined") return { status: 400, body: { error: "access_denied" } };
      if (last?.state === "approved") {
        last.state = "collected";
        const token = collect(last);
        return { status: 200, body: { access_token: token, token_type: "Bearer", expires_in: 120 } };
      }
      const call: Asked =
        last?.state === "pending" ? last : { id: randomUUID(), claims, state: "pending", by: "" };
      if (call !== last) calls.push(call);
      const body = {
        transaction_authorization_id: call.id,
        authorization_uri: `${url}/approve/${call.id}`,
        expires_in: pendingSeconds,
        interval: 5,
      };
      return { status: 200, body };
    },
    decide({ method, url: address, approver }, answered) {
      const htu = new URL(address, service.publicOrigin).href;
      const call = calls.find(
        ({ state, claims }) => state === "pending" && claims["htm"] === method && claims["htu"] === htu,
      );
      if (call === undefined)
        throw new Error(
          `No call ${method} ${htu} waits for an answer. Make the call first, with a client that sends no Accept-Txn-Challenge.`,
        );
      call.state = answered;
      call.by = approver ?? String(call.claims["sub"]);
    },
    tokenFor(challenge, thumbprint) {
      const claims = read(challenge, challengeKind, 300);
      return collect({ id: "", claims, state: "approved", by: String(claims["sub"]) }, thumbprint);
    },
  };
}

function digestOf({ txn }: JsonObject): string | undefined {
  return parseTxn(txn)?.digest;
}
