import { AuthzClientError, type AuthzClientErrorFacts, type AuthzClientErrorReason } from "@authz/client";
import { describe, expect, it } from "vitest";
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

const cases: { reason: AuthzClientErrorReason; facts?: AuthzClientErrorFacts; hint: string }[] = [
  { reason: "session_ended", hint: "Sign in again: authz login" },
  { reason: "browser_not_opened", hint: "Sign in with the address instead: authz login --no-browser" },
  {
    reason: "keyring_unusable",
    hint: "Unlock it and try again, or keep the session in a file: AUTHZ_TOKEN_STORE=file authz login",
  },
  {
    reason: "file_readable_by_others",
    facts: { path: "/home/ada/it's mine" },
    hint: "Sign out and in again to get new keys. To keep this session, run: chmod 600 '/home/ada/it'\\''s mine'",
  },
  {
    reason: "scope_required",
    facts: { availableScopes: ["contracts:read", "contracts:write"] },
    hint: "Add the one it needs: --scope contracts:read",
  },
  {
    reason: "scope_missing",
    facts: { missingScopes: ["contracts:write"] },
    hint: "Ask an administrator for it.",
  },
  {
    reason: "scope_missing",
    facts: { missingScopes: ["contracts:write", "contracts:sign"], url, installation: "Example" },
    hint: `Whom to ask at Example: authz why --scope contracts:write --scope contracts:sign ${url}`,
  },
  {
    reason: "url_not_registered",
    hint: "Check the address. An administrator can register the service, or give you a permission for it.",
  },
  {
    reason: "url_not_registered",
    facts: { connection: "github", connectionName: "GitHub" },
    hint: "It is called with your account at GitHub. Add this: --connection github",
  },
  { reason: "unavailable", hint: "Try again in a moment." },
  { reason: "unavailable", facts: { retryAfterSeconds: 7 }, hint: "Try again in 7 seconds." },
  { reason: "rate_limited", facts: { retryAfterSeconds: 7 }, hint: "Wait 7 seconds, then try again." },
  { reason: "rate_limited", facts: { retryAfterSeconds: 1 }, hint: "Wait 1 second, then try again." },
  { reason: "no_answer", facts: { sent: "maybe" }, hint: lookFirst },
  { reason: "connection_answer_unmarked", facts: { sent: "maybe" }, hint: lookFirst },
  {
    reason: "connection_answer_broken_off",
    facts: { sent: "maybe" },
    hint: "The answer is incomplete. Ask for less, for example for a page, then try again.",
  },
  {
    reason: "not_connected",
    facts: { connection: "github" },
    hint: "Connect it: authz connections connect github",
  },
  {
    reason: "connection_other_account",
    facts: { connection: "github" },
    hint: "Use the same account, or disconnect it first: authz connections disconnect github",
  },
  {
    reason: "connection_timed_out",
    facts: { connection: "github" },
    hint: "Start again: authz connections connect github",
  },
];

describe("what to do about a failure of the client library", () => {
  for (const { reason, facts, hint } of cases) {
    it(`is said for ${reason}${facts === undefined ? "" : ` with ${Object.keys(facts).join(" and ")}`}`, () => {
      const error = new AuthzClientError(reason, { what: "It failed.", ...facts });
      expect(hintOf(adviceOn(error), invocation)).toBe(hint);
    });
  }
});
