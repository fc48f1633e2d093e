import { randomUUID } from "node:crypto";
import type {
  DpopSession,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** Who a host is, and how it shows an address to its person. */
export interface HostIdentity {
  /** The address of its client ID metadata document. */
  readonly clientId: string;
  readonly redirectUrl: string;
  readonly metadata: OAuthClientMetadata;
  /** Resolves when the person has done in the browser what there is to do. */
  readonly open: (address: URL) => Promise<unknown>;
  /** The key that it binds its tokens to (RFC 9449). Without one they are Bearer tokens. */
  readonly dpop?: DpopSession | undefined;
}

/** What the MCP client asks of a host, kept in memory. */
export class HostProvider implements OAuthClientProvider {
  readonly #identity: HostIdentity;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  #state = "";
  #discovery: OAuthDiscoveryState | undefined;
  /** Every address that was shown to the person, in order. */
  readonly opened: URL[] = [];

  constructor(identity: HostIdentity) {
    this.#identity = identity;
  }

  get redirectUrl(): string {
    return this.#identity.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return this.#identity.metadata;
  }

  /** The `state` that the next answer must carry. */
  get expectedState(): string {
    return this.#state;
  }

  /** @throws {Error} Something that was asked for last was not granted. Asking again would only show the same pages. */
  requireGranted(): void {
    const asked = this.opened.at(-1)?.searchParams.get("scope")?.split(" ") ?? [];
    const granted = new Set(this.#tokens?.scope?.split(" "));
    const missing = asked.filter((scope) => scope !== "offline_access" && !granted.has(scope));
    if (missing.length > 0) throw new Error(`Not granted: ${missing.join(" ")}`);
  }

  state(): string {
    this.#state = randomUUID();
    return this.#state;
  }

  dpop(): DpopSession | undefined {
    return this.#identity.dpop;
  }

  /** Given as known, not as `clientMetadataUrl`, which must be `https` and so cannot be a file of this process. */
  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation {
    return this.#client ?? { client_id: this.#identity.clientId, ...context };
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  async redirectToAuthorization(address: URL): Promise<void> {
    this.opened.push(address);
    await this.#identity.open(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "client") this.#client = undefined;
    if (scope === "all" || scope === "tokens") this.#tokens = undefined;
    if (scope === "all" || scope === "verifier") this.#verifier = "";
    if (scope === "all" || scope === "discovery") this.#discovery = undefined;
  }
}
