import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type DevicePage, renderDevicePage } from "../../pages/device-page.js";
import { loadFrame } from "../../pages/frame.js";
import { type Exchange, setPageHeaders } from "../../platform/http/security-headers.js";
import { readForm, readQuery } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../sign-in/browser.js";
import { signInHref } from "../../sign-in/sign-in-link.js";
import type { StoredAuthorizationRequest } from "../../store/authorization-requests.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import type { Store } from "../../store/store.js";
import type { OauthContext } from "../context.js";
import { hashUserCode, readUserCode } from "./authorize-device.js";

/** A signed-in browser on the page, and the code it typed. */
interface Visit {
  readonly session: BrowserSession;
  readonly userCode: string | undefined;
  readonly problem?: DevicePage["problem"];
}

/**
 * Mounts the page where a person types the code of a device (RFC 8628 §3.3).
 *
 * The person signs in first, so that attempts can be counted by person and not only by address: a code is short.
 * A link with the code in it fills in the form; the person still compares and continues (§3.3.1).
 */
export function registerVerification(app: FastifyInstance, context: OauthContext): void {
  const { store, issuer, cookies, rateLimiter } = context;
  const { sessionSecret } = context.config;
  const csrfOf = (session: BrowserSession) => csrfToken(sessionSecret, session, "device");

  async function sendForm({ request, reply }: Exchange, visit: Visit): Promise<FastifyReply> {
    const { session, userCode, problem } = visit;
    const user = await store.users.find(session.userId);
    if (user === undefined) return await reply.redirect(signInHref({ returnTo: deviceHref(userCode) }), 303);
    const switchAccountHref = signInHref({ returnTo: deviceHref(userCode), prompt: "select_account" });
    const page = renderDevicePage(
      { user, userCode, problem, csrfToken: csrfOf(session), switchAccountHref },
      await loadFrame(request, store),
    );
    return await setPageHeaders(reply).send(page);
  }

  app.get(paths.device, async (request, reply) => {
    const userCode = readUserCode(readQuery(request)?.get("user_code"));
    const session = await cookies.readSession(request);
    if (session === undefined)
      return await reply.redirect(signInHref({ returnTo: deviceHref(userCode) }), 303);
    return await sendForm({ request, reply }, { session, userCode });
  });

  app.post(paths.device, async (request: FastifyRequest, reply) => {
    const form = readForm(request);
    const typed = form?.get("user_code");
    const userCode = readUserCode(typed);
    const browser = await cookies.readBrowser(request);
    const session = browser?.session;
    if (browser === undefined || session === undefined)
      return await reply.redirect(signInHref({ returnTo: deviceHref(userCode) }), 303);
    const ownForm = isOwnForm(request.headers, issuer) && isCsrfToken(form?.get("csrf"), csrfOf(session));
    if (!ownForm) return await sendForm({ request, reply: reply.code(403) }, { session, userCode });

    await rateLimiter.take("user-code.person", session.userId);
    const dependencies = { store, sessionSecret, now: context.now() };
    const opened = userCode && (await openDeviceRequest(userCode, browser.hash, dependencies));
    if (opened) return await reply.redirect(`${paths.consent}?request=${opened.id}`, 303);
    const problem = userCode === undefined ? "malformed" : "unknown";
    const shown = userCode ?? typed?.slice(0, 20);
    return await sendForm({ request, reply: reply.code(400) }, { session, userCode: shown, problem });
  });
}

function deviceHref(userCode: string | undefined): string {
  return userCode === undefined ? paths.device : `${paths.device}?user_code=${userCode}`;
}

/**
 * Finds the device that shows a user code, and stores its request for this browser, so that the consent page asks about it. `undefined`
 * when no device waits with this code.
 */
async function openDeviceRequest(
  userCode: string,
  browserHash: Buffer,
  {
    store,
    sessionSecret,
    now,
  }: { readonly store: Store; readonly sessionSecret: Buffer; readonly now: Date },
): Promise<StoredAuthorizationRequest | undefined> {
  const userCodeHash = hashUserCode(userCode, sessionSecret);
  const device = await store.deviceAuthorizations.findWaiting({ userCodeHash, now });
  if (device === undefined) return undefined;
  const request: StoredAuthorizationRequest = {
    id: randomUUID(),
    browserHash,
    clientId: device.clientId,
    target: { kind: "device", deviceId: device.id },
    resourceId: device.resourceId,
    scopes: device.scopes,
    dpopJkt: device.dpopJkt,
    prompts: [],
    maxAgeSeconds: null,
    createdAt: now,
    expiresAt: device.expiresAt,
  };
  await store.authorizationRequests.insert(request);
  return request;
}
