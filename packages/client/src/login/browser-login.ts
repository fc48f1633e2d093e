import { createProofSigner, type Es256KeyPair, generateEs256KeyPair, type ProofSigner } from "@authz/dpop";
import type * as OAuth from "oauth4webapi";
import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import { deviceCode, type Session } from "../session/session.js";
import { loadServerMetadata, type ServerMetadata, wellKnownAddress } from "../tokens/server-metadata.js";
import { OAuthRefusal, requestToken } from "../tokens/token-endpoint.js";
import { quoted } from "../transport/quoted.js";
import type { JsonObject } from "@authz/dpop/jws";
import { invalidAnswer } from "../transport/read-json.js";
import { deviceNameOf } from "./device-name.js";
import { type LoopbackCallback, listenOnLoopback } from "./loopback-listener.js";
import {
  newSession,
  signInScope,
  signInCancelled,
  signInDenied,
  signInFailed,
  signInTimedOut,
} from "./new-session.js";

const defaultTimeoutSeconds = 300;

/** Where the person signs in, and the code by which they recognize this device on the consent page. */
export interface SignInAddress {
  url: string;
  deviceCode: string;
}

/** Options of `login`. At least one of `openBrowser` and `onAddress` is needed. */
export interface LoginOptions {
  /** Opens the address in a browser. When it fails and `onAddress` is given, the sign-in goes on. */
  openBrowser?: (url: string) => Promise<void>;
  /** Called with the address before the browser opens, to show it. */
  onAddress?: (address: SignInAddress) => void;
  /** Ends the wait, for example on Ctrl-C. */
  signal?: AbortSignal;
  /** How long to wait for the browser to come back; 300 unless given. */
  timeoutSeconds?: number;
  /**
   * What the person and administrators read beside this sign-in, at most 80 characters; the host name and the system unless given, and
   * nothing when it is empty.
   */
  deviceName?: string;
}

/**
 * Signs in through a browser on this computer: authorization code, PKCE, and a new device key that the code is bound to.
 *
 * @throws {AuthzClientError} `sign_in_denied`, `sign_in_failed`, `sign_in_timed_out`, `sign_in_cancelled`, `unreachable`
 */
export async function signInWithBrowser(context: ClientContext, options: LoginOptions): Promise<Session> {
  if (options.openBrowser === undefined && options.onAddress === undefined)
    throw new TypeError("login needs openBrowser or onAddress: somebody has to visit the address.");
  const oauth = await import("oauth4webapi");
  const metadata = await loadServerMetadata(context, context.issuer);
  const keyPair = await generateEs256KeyPair();
  const signer = createProofSigner(keyPair, { clock: context.clock });
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const listener = await listenOnLoopback(state);
  try {
    const url = authorizationAddress(metadata, {
      response_type: "code",
      client_id: context.clientId,
      redirect_uri: listener.redirectUri,
      scope: signInScope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      dpop_jkt: signer.thumbprint,
    });
    await showAddress(options, { url, deviceCode: deviceCode(signer.thumbprint) });
    const callback = await waitForCallback(listener.callback, options);
    const deviceName = deviceNameOf(options);
    const flow: Flow = { context, oauth, metadata, keyPair, signer, verifier, state, deviceName };
    return await completeVisit(callback, flow, listener.redirectUri);
  } finally {
    await listener.close();
  }
}

interface Flow {
  context: ClientContext;
  oauth: typeof OAuth;
  metadata: ServerMetadata;
  keyPair: Es256KeyPair;
  signer: ProofSigner;
  verifier: string;
  state: string;
  deviceName: string | undefined;
}

function authorizationAddress(metadata: ServerMetadata, parameters: Record<string, string>): string {
  if (metadata.authorizationEndpoint === undefined) {
    const from = wellKnownAddress(metadata.issuer);
    throw invalidAnswer(from, '"authorization_endpoint" is missing, so nobody can sign in there.');
  }
  const url = new URL(metadata.authorizationEndpoint);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

async function showAddress(options: LoginOptions, address: SignInAddress): Promise<void> {
  options.onAddress?.(address);
  try {
    await options.openBrowser?.(address.url);
  } catch (cause) {
    if (options.onAddress === undefined)
      throw new AuthzClientError("browser_not_opened", {
        what: "The browser could not be opened.",
        cause,
      });
  }
}

async function waitForCallback(
  callback: Promise<LoopbackCallback>,
  { signal, timeoutSeconds = defaultTimeoutSeconds }: LoginOptions,
): Promise<LoopbackCallback> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(notVisited(timeoutSeconds)), timeoutSeconds * 1000);
    onAbort = () => reject(signInCancelled());
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([callback, stopped]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
  }
}

/** The page in the browser is answered last, so that it shows the real outcome. */
async function completeVisit(visit: LoopbackCallback, flow: Flow, redirectUri: string): Promise<Session> {
  try {
    const session = await redeemCode(visit.parameters, flow, redirectUri);
    const account = session.name ?? session.email;
    await visit.finish({ succeeded: true, ...(account === undefined ? {} : { account }) });
    return session;
  } catch (error) {
    const failure = error instanceof AuthzClientError ? { failure: error } : {};
    await visit.finish({ succeeded: false, ...failure });
    throw error;
  }
}

async function redeemCode(parameters: URLSearchParams, flow: Flow, redirectUri: string): Promise<Session> {
  const { context, metadata, signer, verifier } = flow;
  const endpoint = metadata.tokenEndpoint;
  const code = readCode(parameters, flow);
  let body: JsonObject;
  try {
    body = await requestToken(context, {
      endpoint,
      signer,
      form: {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        client_id: context.clientId,
        device_name: flow.deviceName,
      },
    });
  } catch (error) {
    throw error instanceof OAuthRefusal
      ? signInFailed(`The server answered: ${quoted(error.message)}`, error)
      : error;
  }
  return await newSession(
    body,
    flow,
    async (server, client, answer) =>
      await flow.oauth.processAuthorizationCodeResponse(server, client, answer, { requireIdToken: true }),
  );
}

/** Checks `state`, `iss` (RFC 9207) and repeated parameters. */
function readCode(parameters: URLSearchParams, { context, oauth, metadata, state }: Flow): string {
  try {
    const checked = oauth.validateAuthResponse(
      metadata.document as unknown as OAuth.AuthorizationServer,
      { client_id: context.clientId },
      parameters,
      state,
    );
    const code = checked.get("code");
    if (code !== null && code !== "") return code;
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw authorizationError(error);
    throw signInFailed("The answer that came back through the browser is not from this server.", error);
  }
  throw signInFailed("The answer that came back through the browser has no code.");
}

function authorizationError(error: OAuth.AuthorizationResponseError): AuthzClientError {
  if (error.error === "access_denied") return signInDenied(error.error_description, error);
  const description = error.error_description === undefined ? "" : `: ${error.error_description}`;
  return signInFailed(`The server answered: ${quoted(`${error.error}${description}`)}`, error);
}

function notVisited(seconds: number): AuthzClientError {
  return signInTimedOut(`The browser did not come back within ${String(seconds)} seconds.`);
}
