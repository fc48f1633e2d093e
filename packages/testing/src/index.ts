// Every type that an option or a result is made of.
export type { ProofRequest, ProofSigner } from "@authz/dpop";
export type * from "@authz/verify";
export { createTestIssuer } from "./issuer.js";
export type {
  Answered,
  AssertionRequest,
  CallToAnswer,
  Caller,
  Defects,
  Ended,
  RequestToSign,
  SignedHeaders,
  TestIssuer,
  TestIssuerOptions,
  UserTokenRequest,
} from "./types.js";
