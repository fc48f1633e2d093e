export { createProofChecker, type ProofChecker } from "@authz/dpop";
