import { expect, test } from "vitest";
import { type AuthorizationSituation, decideAuthorization } from "../../src/oauth/authorize/decide.js";
import type { Prompt } from "../../src/oauth/authorize/request.js";

const now = new Date("2026-11-20T12:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

/** Somebody who signed in an hour ago and brings a request now. */
function situation(change: {
  prompts?: readonly Prompt[];
  maxAgeSeconds?: number;
  session?: AuthorizationSituation["session"];
  permitted?: boolean;
}): AuthorizationSituation {
  return {
    request: {
      prompts: new Set(change.prompts),
      maxAgeSeconds: change.maxAgeSeconds,
      createdAt: ago(10),
    },
    session: "session" in change ? change.session : { signedInAt: ago(3600), authTime: ago(7200) },
    permitted: change.permitted ?? true,
    installationName: "Acme",
    now,
  };
}

const justSignedIn = { signedInAt: ago(1), authTime: ago(1) };
const justSignedInUpstreamLongAgo = { signedInAt: ago(1), authTime: ago(7200) };

test.each([
  { name: "a signed-in person", change: {}, step: "consent" },
  { name: "nobody", change: { session: undefined }, step: "sign-in" },
  { name: "prompt=login", change: { prompts: ["login"] }, step: "sign-in login" },
  {
    name: "prompt=login after the sign-in",
    change: { prompts: ["login"], session: justSignedIn },
    step: "consent",
  },
  { name: "prompt=login consent", change: { prompts: ["login", "consent"] }, step: "sign-in login" },
  { name: "prompt=consent", change: { prompts: ["consent"] }, step: "consent" },
  { name: "prompt=select_account", change: { prompts: ["select_account"] }, step: "sign-in select_account" },
  {
    name: "prompt=select_account after the choice",
    change: { prompts: ["select_account"], session: justSignedInUpstreamLongAgo },
    step: "consent",
  },
  { name: "a max_age that is met", change: { maxAgeSeconds: 7200 }, step: "consent" },
  { name: "a max_age that is exceeded", change: { maxAgeSeconds: 7199 }, step: "sign-in login" },
  { name: "max_age=0", change: { maxAgeSeconds: 0 }, step: "sign-in login" },
  {
    name: "max_age=0 after the sign-in",
    change: { maxAgeSeconds: 0, session: justSignedIn },
    step: "consent",
  },
  {
    name: "prompt=login after a silent sign-in",
    change: { prompts: ["login"], session: justSignedInUpstreamLongAgo },
    step: "refuse login_required",
  },
  {
    name: "max_age=0 after a silent sign-in",
    change: { maxAgeSeconds: 0, session: justSignedInUpstreamLongAgo },
    step: "refuse login_required",
  },
  {
    name: "prompt=login after a sign-in at a provider whose clock is a minute behind",
    change: { prompts: ["login"], session: { signedInAt: ago(1), authTime: ago(70) } },
    step: "consent",
  },
  {
    name: "a max_age that the provider ignored",
    change: { maxAgeSeconds: 60, session: justSignedInUpstreamLongAgo },
    step: "refuse login_required",
  },
  {
    name: "prompt=none and nobody",
    change: { prompts: ["none"], session: undefined },
    step: "refuse login_required",
  },
  {
    name: "prompt=none and an old sign-in",
    change: { prompts: ["none"], maxAgeSeconds: 1 },
    step: "refuse login_required",
  },
  {
    name: "prompt=none and a signed-in person",
    change: { prompts: ["none"] },
    step: "refuse consent_required",
  },
  { name: "a person without the permission", change: { permitted: false }, step: "refuse access_denied" },
  {
    name: "prompt=none and a person without the permission",
    change: { prompts: ["none"], permitted: false },
    step: "refuse access_denied",
  },
] as const)("$name leads to: $step", ({ change, step }) => {
  const decision = decideAuthorization(situation(change));
  const detail =
    decision.kind === "refuse"
      ? decision.error.code
      : decision.kind === "sign-in"
        ? decision.prompt
        : undefined;
  expect([decision.kind, detail].filter(Boolean).join(" ")).toBe(step);
});

test("somebody without the permission reads whom to ask for what", () => {
  const decision = decideAuthorization(situation({ permitted: false }));
  expect(decision).toMatchObject({
    error: { message: expect.stringMatching(/authz:login.*administrator of Acme/) },
  });
});
