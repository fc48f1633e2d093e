import { paths } from "./vocabulary.js";
import type { RateLimitName } from "../platform/rate-limits/limits.js";

/** Which routes count against which limit per address, in one place. Userinfo and `/api/me` need a token first. */
export const limitedRoutes: ReadonlyMap<string, RateLimitName> = new Map<string, RateLimitName>([
  [paths.authorize, "sign-in.address"],
  [paths.consent, "sign-in.address"],
  [paths.refused, "sign-in.address"],
  [paths.signIn, "sign-in.address"],
  [paths.signInStart, "sign-in.address"],
  [paths.signInCallback, "sign-in.address"],
  [`${paths.signInCallback}/:key`, "sign-in.address"],
  [`${paths.backChannelLogout}/:key`, "signals.address"],
  [`${paths.signals}/:key`, "signals.address"],
  [`${paths.connections}/:id`, "sign-in.address"],
  [`${paths.connectionCallback}/:connector`, "sign-in.address"],
  [paths.connectionStart, "sign-in.address"],
  [paths.connectionEnd, "sign-in.address"],
  [paths.access, "sign-in.address"],
  [paths.withdrawAccess, "sign-in.address"],
  [paths.setUp, "sign-in.address"],
  [paths.setUpToken, "set-up.address"],
  [paths.setUpDetails, "sign-in.address"],
  [paths.setUpTest, "sign-in.address"],
  [paths.setUpComplete, "sign-in.address"],
  [paths.device, "user-code.address"],
  [paths.pushedRequest, "token.address"],
  [paths.deviceAuthorization, "device.address"],
  [paths.token, "token.address"],
  [paths.revocation, "token.address"],
  [paths.transaction, "token.address"],
  [`${paths.approve}/:id`, "sign-in.address"],
  [paths.registration, "registration.address"],
]);
