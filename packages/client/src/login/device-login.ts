import { createProofSigner, generateEs256KeyPair, type ProofSigner } from "@authz/dpop";
import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import { deviceCode, type Session } from "../session/session.js";
import { loadServerMetadata, type ServerMetadata } from "../tokens/server-metadata.js";
import { OAuthRefusal, requestToken } from "../tokens/token-endpoint.js";
import { isSecureOrLoopback, JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";
import type { JsonObject } from "@authz/dpop/jws";
import { invalidAnswer } from "../transport/read-json.js";
import { pauseUnlessStopped } from "../transport/time.js";
import { deviceNameOf } from "./device-name.js";
import {
  newSession,
  signInScope,
  signInCancelled,
  signInDenied,
  signInFailed,
  signInTimedOut,
} from "./new-session.js";

const deviceCodeGrant = "urn:ietf:params:oauth:grant-type:device_code";
const defaultIntervalSeconds = 5;
const slowerSeconds = 5;
const longestIntervalSeconds = 60;

/** What the person needs to sign in on another device. */
export interface DevicePrompt {
  /** The page to open there. */
  verificationUri: string;
  /** The same page with the code already filled in, for a link or a QR code. */
  verificationUriComplete: string | undefined;
  /** The code to type there. */
  userCode: string;
  /** The short code of this device, as the consent page shows it. */
  deviceCode: string;
  expiresInSeconds: number;
}

/** Options of `loginWithDevice`. */
export interface DeviceLoginOptions {
  /** Called with what to show to the person. */
  onPrompt: (prompt: DevicePrompt) => void;
  /** Ends the wait, for example on Ctrl-C. */
  signal?: AbortSignal;
  /**
   * What the person and administrators read beside this sign-in, at most 80 characters; the host name and the system unless given, and
   * nothing when it is empty.
   */
  deviceName?: string;
  /** Waits between two questions, at most until the signal says stop; a timer unless given. */
  pause?: (seconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Signs in with a browser on another device: the person types a short code there, and this device asks until they have.
 *
 * The code is bound to a new device key from the first request on, so it is worthless to an eavesdropper.
 *
 * @throws {AuthzClientError} `sign_in_denied`, `sign_in_failed`, `sign_in_timed_out`, `sign_in_cancelled`, `unreachable`
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628 | RFC 8628}
 */
export async function signInWithDevice(
  context: ClientContext,
  options: DeviceLoginOptions,
): Promise<Session> {
  const oauth = await import("oauth4webapi");
  const metadata = await loadServerMetadata(context, context.issuer);
  const keyPair = await generateEs256KeyPair();
  const signer = createProofSigner(keyPair, { clock: context.clock });
  const begun = await begin(context, metadata, signer);
  const { userCode, verificationUri, verificationUriComplete, expiresInSeconds } = begun;
  options.onPrompt({
    userCode,
    verificationUri,
    verificationUriComplete,
    expiresInSeconds,
    deviceCode: deviceCode(signer.thumbprint),
  });
  const body = await askUntilAnswered(begun, { context, metadata, signer }, options);
  return await newSession(body, { context, oauth, metadata, keyPair }, oauth.processDeviceCodeResponse);
}

interface Begun extends Omit<DevicePrompt, "deviceCode"> {
  /** The code that this device asks with: a secret, never shown. */
  secretCode: string;
  intervalSeconds: number;
}

async function begin(context: ClientContext, metadata: ServerMetadata, signer: ProofSigner): Promise<Begun> {
  const endpoint = metadata.deviceAuthorizationEndpoint;
  if (endpoint === undefined) throw notOffered(metadata.issuer);
  let body: JsonObject;
  try {
    const form = { client_id: context.clientId, scope: signInScope, dpop_jkt: signer.thumbprint };
    body = await requestToken(context, { endpoint, signer, form });
  } catch (error) {
    throw error instanceof OAuthRefusal ? refusedSignIn(error) : error;
  }
  const fields = new JsonFields(body, endpoint);
  const complete = fields.optionalString("verification_uri_complete");
  return {
    secretCode: fields.string("device_code"),
    userCode: fields.string("user_code", 64),
    verificationUri: pageAddress(fields.string("verification_uri"), endpoint),
    verificationUriComplete: complete === undefined ? undefined : pageAddress(complete, endpoint),
    expiresInSeconds: fields.seconds("expires_in"),
    intervalSeconds: body.interval === undefined ? defaultIntervalSeconds : fields.seconds("interval"),
  };
}

/** Asks in the rhythm the server wants (RFC 8628 §3.5). A question that got no answer doubles the pause. */
async function askUntilAnswered(
  { secretCode, expiresInSeconds, intervalSeconds }: Begun,
  { context, metadata, signer }: { context: ClientContext; metadata: ServerMetadata; signer: ProofSigner },
  { signal, pause = pauseUnlessStopped, ...options }: DeviceLoginOptions,
): Promise<JsonObject> {
  const endsAt = context.clock() + expiresInSeconds * 1000;
  let interval = intervalSeconds;
  for (;;) {
    await pause(interval, signal);
    if (signal?.aborted === true) throw signInCancelled();
    if (context.clock() >= endsAt) throw tooLate();
    try {
      return await requestToken(context, {
        endpoint: metadata.tokenEndpoint,
        signer,
        form: {
          grant_type: deviceCodeGrant,
          device_code: secretCode,
          client_id: context.clientId,
          device_name: deviceNameOf(options),
        },
      });
    } catch (error) {
      interval = nextInterval(interval, error);
    }
  }
}

function nextInterval(interval: number, error: unknown): number {
  if (error instanceof AuthzClientError && error.code === "unreachable")
    return Math.min(interval * 2, longestIntervalSeconds);
  if (!(error instanceof OAuthRefusal)) throw error;
  switch (error.error) {
    case "authorization_pending":
      return interval;
    case "slow_down":
      return interval + slowerSeconds;
    default:
      throw refusedSignIn(error);
  }
}

function refusedSignIn(refusal: OAuthRefusal): AuthzClientError {
  switch (refusal.error) {
    case "access_denied":
      return signInDenied(refusal.description, refusal);
    case "expired_token":
      return tooLate(refusal);
    default:
      return signInFailed(`The server answered: ${quoted(refusal.message)}`, refusal);
  }
}

/** The person opens this page and signs in there: it must be https, or on this computer. */
function pageAddress(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSecureOrLoopback(url) && url.username === "" && url.password === "")
    return url.href;
  throw invalidAnswer(
    from,
    "The page to sign in on must be an https address (plain http only on this computer).",
  );
}

function tooLate(cause?: unknown): AuthzClientError {
  return signInTimedOut("The code expired before anyone entered it and agreed.", cause);
}

function notOffered(issuer: string): AuthzClientError {
  return new AuthzClientError("device_login_not_offered", {
    what: "Signing in with a code on another device is not possible here.",
    why: `${issuer} does not offer it (its metadata has no device_authorization_endpoint).`,
  });
}
