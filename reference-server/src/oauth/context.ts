import type { PageContext } from "../sign-in/page-context.js";
import type { ClientDocuments } from "./clients/metadata-document/client-documents.js";
import type { LiveKeys } from "./keys/keys.js";
import type { ProofChecker } from "@authz/dpop";

/** What the OAuth endpoints and their pages share. */
export interface OauthContext extends PageContext {
  readonly keys: LiveKeys;
  readonly proofChecker: ProofChecker;
  readonly clientDocuments: ClientDocuments;
}
