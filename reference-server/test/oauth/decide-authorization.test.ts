import { expect, test } from "vitest";
import {
  type AuthorizationSituation,
  decideAuthorization,
} from "../../src/oauth/endpoints/authorize/decide.js";
import type { Prompt } from "../../src/oauth/endpoints/authorize/request.js";

const now = new Date("2026-11-20T12:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

/** Somebody who signed in an hour ago and brings a request now. */
function situation(change: {
  prompts?: readonly Prompt[];
  maxAgeSeconds?: number;
  session?: AuthorizationSituation["session"];
  permission?: AuthorizationSituation["permission"];
}): AuthorizationSituation {
  return {
    request: {
      prompts: new Set(change.prompts),
      maxAgeSeconds: change.maxAgeSeconds,
      createdAt: ago(10),
    },
    session:
      "session" in change
        ? change.session
        : { signedInAt: ago(3600), authTime: ago(7200), askedAnewAt: null },
    permission: change.permission ?? "held",
    installationName: "Acme",
    now,
  };
}

/** Came back from the provider a second ago, which was asked three seconds ago, and says this about when. */
const asked = (authTime: Date | null) => ({ signedInAt: ago(1), authTime, askedAnewAt: ago(3) });
/** The same, but nobody asked the provider for anything: any tab of the browser can do that. */
const notAsked = (authTime: Date | null) => ({ signedInAt: ago(1), authTime, askedAnewAt: null });
/** It was asked before the request began. */
const askedBefore = (authTime: Date | null) => ({ signedInAt: ago(1), authTime, askedAnewAt: ago(11) });

test.each([
  { name: "a signed-in person", change: {}, step: "consent" },
  { name: "nobody", change: { session: undefined }, step: "sign-in" },
  { name: "prompt=login", change: { prompts: ["login"] }, step: "sign-in login" },
  {
    name: "prompt=login after the sign-in",
    change: { prompts: ["login"], session: asked(ago(2)) },
    step: "consent",
  },
  {
    name: "prompt=login after the sign-in at a provider that does not say when",
    change: { prompts: ["login"], session: asked(null) },
    step: "consent",
  },
  {
    name: "prompt=login after a sign-in that asked for nothing",
    change: { prompts: ["login"], session: notAsked(null) },
    step: "sign-in login",
  },
  {
    name: "prompt=login after a sign-in that asked for nothing, at a provider that was just used",
    change: { prompts: ["login"], session: notAsked(ago(2)) },
    step: "sign-in login",
  },
  {
    name: "prompt=login after a sign-in that was asked for by something else before",
    change: { prompts: ["login"], session: askedBefore(null) },
    step: "sign-in login",
  },
  { name: "prompt=login consent", change: { prompts: ["login", "consent"] }, step: "sign-in login" },
  { name: "prompt=consent", change: { prompts: ["consent"] }, step: "consent" },
  { name: "prompt=select_account", change: { prompts: ["select_account"] }, step: "sign-in select_account" },
  {
    name: "prompt=select_account after the choice",
    change: { prompts: ["select_account"], session: notAsked(ago(7200)) },
    step: "consent",
  },
  { name: "a max_age that is met", change: { maxAgeSeconds: 7200 }, step: "consent" },
  { name: "a max_age that is exceeded", change: { maxAgeSeconds: 7199 }, step: "sign-in login" },
  { name: "max_age=0", change: { maxAgeSeconds: 0 }, step: "sign-in login" },
  {
    name: "max_age=0 after the sign-in",
    change: { maxAgeSeconds: 0, session: asked(ago(2)) },
    step: "consent",
  },
  {
    name: "max_age=0 after a sign-in that asked for nothing",
    change: { maxAgeSeconds: 0, session: notAsked(ago(2)) },
    step: "sign-in login",
  },
  {
    name: "max_age=0 after the sign-in at a provider that does not say when",
    change: { maxAgeSeconds: 0, session: asked(null) },
    step: "refuse login_required provider_auth_time_missing",
  },
  {
    name: "a max_age when nobody knows when the person signed in",
    change: { maxAgeSeconds: 3600, session: notAsked(null) },
    step: "sign-in login",
  },
  {
    name: "a max_age when the provider was asked and does not say when",
    change: { maxAgeSeconds: 3600, session: asked(null) },
    step: "refuse login_required provider_auth_time_missing",
  },
  {
    name: "a max_age that the provider says is met, without being asked",
    change: { maxAgeSeconds: 60, session: notAsked(ago(50)) },
    step: "consent",
  },
  {
    name: "prompt=login after a silent sign-in",
    change: { prompts: ["login"], session: asked(ago(7200)) },
    step: "refuse login_required provider_kept_session",
  },
  {
    name: "max_age=0 after a silent sign-in",
    change: { maxAgeSeconds: 0, session: asked(ago(7200)) },
    step: "refuse login_required provider_kept_session",
  },
  {
    name: "prompt=login after a sign-in at a provider whose clock is a minute behind",
    change: { prompts: ["login"], session: asked(ago(60)) },
    step: "consent",
  },
  {
    name: "a max_age that the provider ignored",
    change: { maxAgeSeconds: 60, session: asked(ago(7200)) },
    step: "refuse login_required provider_kept_session",
  },
  {
    name: "a max_age that ran out while the page was waiting",
    change: {
      maxAgeSeconds: 5,
      session: { signedInAt: ago(7), authTime: ago(8), askedAnewAt: ago(9) },
    },
    step: "sign-in login",
  },
  {
    name: "prompt=none and nobody",
    change: { prompts: ["none"], session: undefined },
    step: "refuse login_required",
  },
  {
    name: "prompt=none and an old sign-in",
    change: { prompts: ["none"], maxAgeSeconds: 1 },
    step: "refuse login_required session_too_old",
  },
  {
    name: "prompt=none with max_age, and nobody knows when the person signed in",
    change: { prompts: ["none"], maxAgeSeconds: 3600, session: notAsked(null) },
    step: "refuse login_required session_too_old",
  },
  {
    name: "prompt=none without max_age, and nobody knows when the person signed in",
    change: { prompts: ["none"], session: notAsked(null) },
    step: "refuse consent_required",
  },
  {
    name: "prompt=none and a signed-in person",
    change: { prompts: ["none"] },
    step: "refuse consent_required",
  },
  {
    name: "a person without the permission",
    change: { permission: "missing" },
    step: "refuse access_denied",
  },
  { name: "a person of whom nobody can say", change: { permission: "unknown" }, step: "unavailable" },
  {
    name: "prompt=none and a person without the permission",
    change: { prompts: ["none"], permission: "missing" },
    step: "refuse consent_required",
  },
  {
    name: "prompt=none and a person of whom nobody can say",
    change: { prompts: ["none"], permission: "unknown" },
    step: "refuse consent_required",
  },
] as const)("$name leads to: $step", ({ change, step }) => {
  const decision = decideAuthorization(situation(change));
  const detail =
    decision.kind === "refuse"
      ? `${decision.error.code} ${step.split(" ")[2] === undefined ? "" : decision.error.reason}`.trim()
      : decision.kind === "sign-in"
        ? decision.prompt
        : undefined;
  expect([decision.kind, detail].filter(Boolean).join(" ")).toBe(step);
});

test("somebody without the permission reads whom to ask for what", () => {
  const decision = decideAuthorization(situation({ permission: "missing" }));
  expect(decision).toMatchObject({
    error: { message: expect.stringMatching(/authz:login.*administrator of Acme/) },
  });
});
