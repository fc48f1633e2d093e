import { AuthzClientError, type AuthzClientErrorFacts, type AuthzClientErrorReason } from "@authz/client";
import { expect, it } from "vitest";
import { adviceOn } from "../../src/messages/advice.js";
import { hintOf } from "../../src/messages/next-step.js";

const invocation = {
  program: "authz",
  platform: "linux",
  profile: undefined,
  login: { words: [], variables: {} },
} as const;

const url = "https://contracts.example.com/api/contracts";
const lookFirst = "If it only reads, send it again. Otherwise, first check whether it was carried out.";

const github = { connection: "github" };
const lacks = (...missingScopes: string[]) => ({ missingScopes });
const inFile = "Unlock it and try again, or keep the session in a file: AUTHZ_TOKEN_STORE=file authz login";
const chmod =
  "Sign out and in again to get new keys. To keep this session, run: chmod 600 '/home/ada/it'\\''s mine'";
const unknown =
  "Check the address. An administrator can register the service, or give you a permission for it.";
const whom = `Whom to ask at Example: authz why --scope contracts:write --scope contracts:sign ${url}`;
const other = "Use the same account, or disconnect it first: authz connections disconnect github";

it.each<[reason: AuthzClientErrorReason, facts: AuthzClientErrorFacts, hint: string]>([
  ["session_ended", {}, "Sign in again: authz login"],
  ["browser_not_opened", {}, "Sign in with the address instead: authz login --no-browser"],
  ["keyring_unusable", {}, inFile],
  ["file_readable_by_others", { path: "/home/ada/it's mine" }, chmod],
  [
    "scope_required",
    { availableScopes: ["contracts:read", "contracts:write"] },
    "Add the one it needs: --scope contracts:read",
  ],
  ["scope_missing", lacks("contracts:write"), "Ask an administrator for it."],
  ["scope_missing", { ...lacks("contracts:write", "contracts:sign"), url, installation: "Example" }, whom],
  ["url_not_registered", {}, unknown],
  [
    "url_not_registered",
    { ...github, connectionName: "GitHub" },
    "It is called with your account at GitHub. Add this: --connection github",
  ],
  ["unavailable", {}, "Try again in a moment."],
  ["unavailable", { retryAfterSeconds: 7 }, "Try again in 7 seconds."],
  ["rate_limited", { retryAfterSeconds: 7 }, "Wait 7 seconds, then try again."],
  ["rate_limited", { retryAfterSeconds: 1 }, "Wait 1 second, then try again."],
  ["no_answer", { sent: "maybe" }, lookFirst],
  ["connection_answer_unmarked", { sent: "maybe" }, lookFirst],
  [
    "connection_answer_broken_off",
    { sent: "maybe" },
    "The answer is incomplete. Ask for less, for example for a page, then try again.",
  ],
  ["not_connected", github, "Connect it: authz connections connect github"],
  ["connection_other_account", github, other],
  ["connection_timed_out", github, "Start again: authz connections connect github"],
])("the hint after %s with %j is %j", (reason, facts, hint) => {
  const error = new AuthzClientError(reason, { what: "It failed.", ...facts });
  expect(hintOf(adviceOn(error), invocation)).toBe(hint);
});
