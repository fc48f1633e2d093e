import { createProofSigner, type ProofSigner } from "@authz/dpop";
import { AuthzClientError } from "../errors.js";
import { loadServerMetadata } from "../tokens/server-metadata.js";
import { isFresh, type KeptToken, keptToken } from "../tokens/token-cache.js";
import { OAuthRefusal, requestToken, sendForm } from "../tokens/token-endpoint.js";
import { JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";
import type { ClientContext } from "./client-context.js";
import { type EndedSession, isEnded, parseSession, type Session } from "./session.js";

/** Reads the session, keeps it usable, and changes it without losing what another process wrote. */
export class SessionKeeper {
  readonly #context: ClientContext;
  #renewing: Promise<Session> | undefined;
  #signer: { key: string; signer: ProofSigner } | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /** The stored session, or undefined before a sign-in at this issuer. */
  async find(): Promise<Session | undefined> {
    const kept = await this.#read();
    if (kept === undefined) return undefined;
    if (isEnded(kept)) throw sessionEnded(kept.ended);
    return kept;
  }

  /** The stored session. @throws {AuthzClientError} `not_signed_in`, `session_ended` */
  async load(): Promise<Session> {
    const session = await this.find();
    if (session !== undefined) return session;
    throw new AuthzClientError("not_signed_in", {
      what: "You are not signed in.",
      why: `There is no session for ${this.#context.issuer} on this computer.`,
    });
  }

  /** The same session, renewed when its access token for the authorization server has ended. */
  async freshen(session: Session): Promise<Session> {
    return this.#isFresh(session) ? session : await this.renew(session.accessToken.value);
  }

  signerOf(session: Session): ProofSigner {
    if (this.#signer?.key !== session.privateJwk.d) {
      const { d, ...publicJwk } = session.privateJwk;
      const signer = createProofSigner(
        { privateJwk: session.privateJwk, publicJwk },
        { clock: this.#context.clock },
      );
      this.#signer = { key: d, signer };
    }
    return this.#signer.signer;
  }

  /** Changes the stored session in one step. Nothing happens when there is none any more. */
  async update(change: (session: Session) => Session): Promise<void> {
    await this.#context.store.exclusively(async () => {
      const kept = await this.#read();
      if (kept !== undefined && !isEnded(kept)) await this.#write(change(kept));
    });
  }

  async replace(session: Session): Promise<void> {
    await this.#context.store.exclusively(async () => await this.#write(session));
  }

  /**
   * Gets a new access token, unless another caller just did.
   *
   * @param staleToken The access token that no longer works.
   * @throws {AuthzClientError} `session_ended`, `unreachable`
   */
  async renew(staleToken: string): Promise<Session> {
    this.#renewing ??= this.#context.store
      .exclusively(async () => await this.#renewAlone(staleToken))
      .finally(() => {
        this.#renewing = undefined;
      });
    return await this.#renewing;
  }

  async #renewAlone(staleToken: string): Promise<Session> {
    const session = await this.load();
    if (session.accessToken.value !== staleToken && this.#isFresh(session)) return session;
    const { tokenEndpoint } = await loadServerMetadata(this.#context, this.#context.issuer);
    const fields = await this.#refresh(session, tokenEndpoint);
    if (fields === undefined) return await this.#renewAlone(session.accessToken.value);
    const idToken = fields.optionalString("id_token") ?? session.idToken;
    const renewed: Session = {
      ...session,
      ...(idToken === undefined ? {} : { idToken }),
      refreshToken: fields.optionalString("refresh_token") ?? session.refreshToken,
      accessToken: keptToken(fields, this.#context.clock()),
      serviceTokens: withoutEnded(session.serviceTokens, this.#context.clock()),
    };
    await this.#write(renewed);
    this.#context.onEvent({ type: "session_renewed" });
    return renewed;
  }

  /**
   * The answer to a refresh; undefined when another process has renewed the session meanwhile.
   *
   * When no answer came, the refresh token stays as it is: the server answers it with the same next one again.
   */
  async #refresh(session: Session, endpoint: string): Promise<JsonFields | undefined> {
    try {
      const body = await requestToken(this.#context, {
        endpoint,
        signer: this.signerOf(session),
        repeatable: true,
        form: {
          grant_type: "refresh_token",
          refresh_token: session.refreshToken,
          client_id: session.clientId,
        },
      });
      return new JsonFields(body, endpoint);
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      if (error.error !== "invalid_grant") throw unexpectedRefusal(error, endpoint);
      if ((await this.load()).refreshToken !== session.refreshToken) return undefined;
      const why = "The server no longer accepts it: it expired, or you or an administrator ended it.";
      const ended: EndedSession = { version: 1, issuer: session.issuer, ended: why };
      await this.#context.store.write(JSON.stringify(ended));
      throw sessionEnded(why, error);
    }
  }

  #isFresh({ accessToken }: Session): boolean {
    return isFresh(accessToken, this.#context.clock());
  }

  async #read(): Promise<Session | EndedSession | undefined> {
    const text = await this.#context.store.read();
    if (text === undefined) return undefined;
    const kept = parseSession(text);
    return kept.issuer === this.#context.issuer ? kept : undefined;
  }

  async #write(session: Session): Promise<void> {
    await this.#context.store.write(JSON.stringify(session));
  }
}

/** The same tokens without those that have ended. */
export function withoutEnded(tokens: Record<string, KeptToken>, now: number): Record<string, KeptToken> {
  return Object.fromEntries(Object.entries(tokens).filter(([, token]) => token.expiresAt > now));
}

/** The error for a refusal that is unexpected here. */
export function unexpectedRefusal(refusal: OAuthRefusal, endpoint: string): AuthzClientError {
  return new AuthzClientError("refusal_unexpected", {
    what: `${endpoint} refused the request.`,
    why: `It answered: ${quoted(refusal.message)}`,
    cause: refusal,
  });
}

function sessionEnded(why: string, cause?: unknown): AuthzClientError {
  return new AuthzClientError("session_ended", {
    what: "Your session has ended.",
    why,
    cause,
  });
}

/**
 * Tells the server that a session is over (RFC 7009). Answers whether the server knows: it may offer no revocation, or not be
 * reachable, and neither prevents signing out here.
 */
export async function revokeSession(context: ClientContext, session: Session): Promise<boolean> {
  try {
    const { revocationEndpoint } = await loadServerMetadata(context, session.issuer);
    if (revocationEndpoint === undefined) return false;
    const answer = await sendForm(context.transport, revocationEndpoint, {
      form: {
        token: session.refreshToken,
        token_type_hint: "refresh_token",
        client_id: session.clientId,
      },
    });
    answer.discard();
    return answer.status === 200;
  } catch {
    return false;
  }
}
