import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  createProofChecker,
  inMemory,
  type ProofCheckerOptions,
  type ProofInput,
  type PublicJwk,
  type ReplayStore,
  spendProof,
  type VerifiedProof,
} from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";

/** The frozen second in which every test here runs. */
export const now: number = Date.parse("2026-11-20T12:00:00Z") / 1000;
export const clock = (): number => now * 1000;

const accessToken = "an-access-token";
export const request = {
  method: "GET",
  url: "https://api.example/contracts",
  accessTokenHash: sha256Base64url(accessToken),
};

/** Everything a proof is made of, so that a test can change one thing. */
export interface ProofDraft {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** Replaces the JSON of the header or the claims, for what `JSON.stringify` never writes. */
  headerJson?: string | Buffer;
  claimsJson?: string | Buffer;
  signingKey: KeyObject;
  changeSignature: (signature: Buffer) => Buffer;
  changeText: (proof: string) => string;
}

const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const publicJwk: PublicJwk = key.publicKey.export({ format: "jwk" }) as unknown as PublicJwk;
export const privateJwk = key.privateKey.export({ format: "jwk" });
export const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" });

let proofs = 0;

/** A draft of a proof that is right for {@link request}. */
export function draftProof(): ProofDraft {
  return {
    header: { typ: "dpop+jwt", alg: "ES256", jwk: { ...publicJwk } },
    claims: {
      jti: `proof-${++proofs}`,
      htm: request.method,
      htu: request.url,
      iat: now,
      ath: request.accessTokenHash,
    },
    signingKey: key.privateKey,
    changeSignature: (signature) => signature,
    changeText: (proof) => proof,
  };
}

/** Writes and signs a draft with plain node:crypto, without the code under test. */
export function finishProof(draft: ProofDraft): string {
  const header = encode(draft.headerJson ?? JSON.stringify(draft.header));
  const claims = encode(draft.claimsJson ?? JSON.stringify(draft.claims));
  const signature = sign("sha256", Buffer.from(`${header}.${claims}`), {
    key: draft.signingKey,
    dsaEncoding: "ieee-p1363",
  });
  return draft.changeText(`${header}.${claims}.${draft.changeSignature(signature).toString("base64url")}`);
}

/** A proof that differs from a right one by one change. */
export function proofWith(change: (draft: ProofDraft) => void): string {
  const draft = draftProof();
  change(draft);
  return finishProof(draft);
}

function encode(text: string | Buffer): string {
  return Buffer.from(text).toString("base64url");
}

/** A checker and a store, as a server has them. */
export interface Verifier {
  check(input: ProofInput): VerifiedProof;
  spend(proof: VerifiedProof): void | Promise<void>;
  /** `check`, then `spend`. */
  verify(input: ProofInput): Promise<VerifiedProof>;
}

/** A verifier at the frozen second. */
export function createVerifier(options: ProofCheckerOptions & { replayStore?: ReplayStore } = {}): Verifier {
  const { replayStore = inMemory({ clock }), ...checkerOptions } = options;
  const checker = createProofChecker({ clock, ...checkerOptions });
  const spend: Verifier["spend"] = (proof) => spendProof(proof, replayStore);
  return {
    check: (input) => checker.check(input),
    spend,
    async verify(input) {
      const proof = checker.check(input);
      await spend(proof);
      return proof;
    },
  };
}
