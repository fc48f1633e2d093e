import type { Clock, NonceSource, ReplayStore } from "@authz/dpop";
import type { Skill } from "@authz/skills";
import type { SigningKey, SigningKeyProvider } from "../keys/signing-key.js";
import type { AuthzLog } from "../log.js";

/** The options of `initAuthz`. Checked once; unknown names are refused. */
export interface AuthzOptions {
  /**
   * The resource identifier: what clients name as `resource` and tokens as `aud` (RFC 8707). A URL at or below `publicOrigin`
   * without query and fragment, whose path consists of letters, digits, `-`, `.`, `_` and `~`. Default: `publicOrigin`
   * followed by `/api`.
   */
  readonly resource?: string;
  /** The exact public origin of this service, such as `https://contracts.example.com`, without a trailing slash. */
  readonly publicOrigin: string;
  /** The client identifier of the command-line client at this service. */
  readonly clientId: string;
  /** Every scope that this service knows. Policies may name only these. */
  readonly supportedScopes: readonly string[];
  /** The ES256 key that signs this service's access tokens. Load it from configuration; do not generate it at every start. */
  readonly signingKey?: SigningKey;
  /** Instead of `signingKey`, for rotation: the first key signs, all of them verify. Or a provider for KMS and Vault. */
  readonly signingKeys?: readonly SigningKey[] | SigningKeyProvider;
  /** Remembers used proofs and assertions, so that each is accepted once. `inMemory()` is only for a single process. */
  readonly replayStore: ReplayStore;
  /** The skills that this service publishes. */
  readonly skills?: SkillsOptions;
  /** Permits plain `http:` on loopback addresses. Only for development. Default: false. */
  readonly allowInsecureLoopback?: boolean;
  /** A human-readable name for this service, in the metadata. */
  readonly resourceName?: string;
  /**
   * `allowed` also accepts Bearer tokens: those that the authorization server gives to clients without DPoP, and those issued
   * here for an assertion that is not bound to a key. Default: `required`.
   */
  readonly dpop?: "required" | "allowed";
  /** Turns on server nonces (RFC 9449 §9): `createNonceSource({ secret })`, the same secret in every process. */
  readonly nonces?: NonceSource;
  /** Fetches the issuer's metadata, keys and status list through this origin. The issuer that is checked stays the same. */
  readonly discoveryProxyOrigin?: string;
  /**
   * Refuses tokens of people, apps and machines that have ended, within seconds, by the issuer's token status list. `false`: they are
   * good until they expire. Default: true.
   */
  readonly statusList?: boolean;
  /** Used for the issuer's metadata, keys and status list. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The time in milliseconds since 1970. Default: `Date.now`. */
  readonly clock?: Clock;
  /** Timeout of requests to the issuer, from 1 to 60. Default: 5. */
  readonly timeoutSeconds?: number;
  /** Maximum lead of a client's clock in proofs, a whole number from 0 to 300. Default: 5. */
  readonly clockToleranceSeconds?: number;
  /**
   * `concurrent` uses several cores in one process: while several requests are being checked, the signatures of their proofs are
   * verified in the threads of libuv, at most 32 at a time; a single request is checked as with `synchronous`. Both accept the
   * same requests. Default: `synchronous`, which takes the least CPU and suits one process per core.
   */
  readonly verification?: "synchronous" | "concurrent";
  /**
   * Receives refusals with their exact reason, issued tokens, and warnings. Default: with `allowInsecureLoopback`, one line on stderr for
   * each option that does not match the requests, and for each unavailable dependency; otherwise nothing.
   */
  readonly log?: AuthzLog;
}

/** The source of the published skills. */
export type SkillsOptions = FixedSkills | LoadedSkills;

/** Skills known at startup. */
export interface FixedSkills extends PublishedSkills {
  readonly items: readonly Skill[];
}

/** Skills that are loaded again for each request of the authorization server, and every 30 seconds for the index. */
export interface LoadedSkills extends PublishedSkills {
  readonly load: () => readonly Skill[] | Promise<readonly Skill[]>;
}

/** Further publication of the skills. */
export interface PublishedSkills {
  /**
   * Also publishes the skills that everyone can see as an Agent Skills index, which needs no sign-in, at
   * `/.well-known/agent-skills/index.json`. Default: false.
   */
  readonly agentSkillsIndex?: boolean;
}
