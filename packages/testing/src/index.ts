export { createTestIssuer } from "./issuer.js";
export type {
  AssertionRequest,
  Caller,
  Defects,
  RequestToSign,
  SignedHeaders,
  TestIssuer,
  TestIssuerOptions,
} from "./types.js";
