import { expect, test } from "vitest";
import {
  type AuthorizationSituation,
  decideAuthorization,
} from "../../src/oauth/endpoints/authorize/decide.js";
import type { Prompt } from "../../src/oauth/endpoints/authorize/request.js";

const now = new Date("2026-11-20T12:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

/** A request from a session that is an hour old. */
function situation(change: {
  prompts?: readonly Prompt[];
  maxAgeSeconds?: number;
  session?: AuthorizationSituation["session"];
  permission?: AuthorizationSituation["permission"];
  stopped?: boolean;
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
    stopped: change.stopped ?? false,
    installationName: "Acme",
    now,
  };
}

/** Came back from the provider a second ago, which was asked three seconds ago, and says this about when. */
const asked = (authTime: Date | null) => ({ signedInAt: ago(1), authTime, askedAnewAt: ago(3) });
/** The same without a prompt to the provider: any tab of the browser can do that. */
const notAsked = (authTime: Date | null) => ({ signedInAt: ago(1), authTime, askedAnewAt: null });
/** It was asked before the request began. */
const askedBefore = (authTime: Date | null) => ({ signedInAt: ago(1), authTime, askedAnewAt: ago(11) });

test.each([
  ["a signed-in person", "consent", {}],
  ["no session", "sign-in", { session: undefined }],
  ["prompt=login", "sign-in login", { prompts: ["login"] }],
  ["prompt=login after the sign-in", "consent", { prompts: ["login"], session: asked(ago(2)) }],
  [
    "prompt=login after the sign-in at a provider that does not say when",
    "consent",
    { prompts: ["login"], session: asked(null) },
  ],
  [
    "prompt=login after a sign-in that asked for nothing",
    "sign-in login",
    { prompts: ["login"], session: notAsked(null) },
  ],
  [
    "prompt=login after a sign-in that asked for nothing, at a provider that was just used",
    "sign-in login",
    { prompts: ["login"], session: notAsked(ago(2)) },
  ],
  [
    "prompt=login after a sign-in that was asked for by something else before",
    "sign-in login",
    { prompts: ["login"], session: askedBefore(null) },
  ],
  ["prompt=login consent", "sign-in login", { prompts: ["login", "consent"] }],
  ["prompt=consent", "consent", { prompts: ["consent"] }],
  ["prompt=select_account", "sign-in select_account", { prompts: ["select_account"] }],
  [
    "prompt=select_account after the choice",
    "consent",
    { prompts: ["select_account"], session: notAsked(ago(7200)) },
  ],
  ["a max_age that is met", "consent", { maxAgeSeconds: 7200 }],
  ["a max_age that is exceeded", "sign-in login", { maxAgeSeconds: 7199 }],
  ["max_age=0", "sign-in login", { maxAgeSeconds: 0 }],
  ["max_age=0 after the sign-in", "consent", { maxAgeSeconds: 0, session: asked(ago(2)) }],
  [
    "max_age=0 after a sign-in that asked for nothing",
    "sign-in login",
    { maxAgeSeconds: 0, session: notAsked(ago(2)) },
  ],
  [
    "max_age=0 after the sign-in at a provider that does not say when",
    "refuse login_required provider_auth_time_missing",
    { maxAgeSeconds: 0, session: asked(null) },
  ],
  [
    "a max_age and an unknown time of authentication",
    "sign-in login",
    { maxAgeSeconds: 3600, session: notAsked(null) },
  ],
  [
    "a max_age when the provider was asked and does not say when",
    "refuse login_required provider_auth_time_missing",
    { maxAgeSeconds: 3600, session: asked(null) },
  ],
  [
    "a max_age that the provider says is met, without being asked",
    "consent",
    { maxAgeSeconds: 60, session: notAsked(ago(50)) },
  ],
  [
    "prompt=login after a silent sign-in",
    "refuse login_required provider_kept_session",
    { prompts: ["login"], session: asked(ago(7200)) },
  ],
  [
    "max_age=0 after a silent sign-in",
    "refuse login_required provider_kept_session",
    { maxAgeSeconds: 0, session: asked(ago(7200)) },
  ],
  [
    "prompt=login after a sign-in at a provider whose clock is a minute behind",
    "consent",
    { prompts: ["login"], session: asked(ago(60)) },
  ],
  [
    "a max_age that the provider ignored",
    "refuse login_required provider_kept_session",
    { maxAgeSeconds: 60, session: asked(ago(7200)) },
  ],
  [
    "a max_age that ran out while the page was waiting",
    "sign-in login",
    {
      maxAgeSeconds: 5,
      session: { signedInAt: ago(7), authTime: ago(8), askedAnewAt: ago(9) },
    },
  ],
  ["prompt=none and no session", "refuse login_required", { prompts: ["none"], session: undefined }],
  [
    "prompt=none and an old sign-in",
    "refuse login_required session_too_old",
    { prompts: ["none"], maxAgeSeconds: 1 },
  ],
  [
    "prompt=none with max_age, and an unknown time of authentication",
    "refuse login_required session_too_old",
    { prompts: ["none"], maxAgeSeconds: 3600, session: notAsked(null) },
  ],
  [
    "prompt=none without max_age, and an unknown time of authentication",
    "refuse consent_required",
    { prompts: ["none"], session: notAsked(null) },
  ],
  ["prompt=none and a signed-in person", "refuse consent_required", { prompts: ["none"] }],
  ["a person without the permission", "refuse access_denied", { permission: "missing" }],
  ["permissions that rules decide about", "refuse access_denied scopes_in_rules", { permission: "ruled" }],
  ["unknown permissions", "unavailable", { permission: "unknown" }],
  [
    "prompt=none and a person without the permission",
    "refuse consent_required",
    { prompts: ["none"], permission: "missing" },
  ],
  [
    "prompt=none and unknown permissions",
    "refuse consent_required",
    { prompts: ["none"], permission: "unknown" },
  ],
] as const)("%s leads to: %s", (_name, step, change) => {
  const decision = decideAuthorization(situation(change));
  const detail =
    decision.kind === "refuse"
      ? `${decision.error.code} ${step.split(" ")[2] === undefined ? "" : decision.error.reason}`.trim()
      : decision.kind === "sign-in"
        ? decision.prompt
        : undefined;
  expect([decision.kind, detail].filter(Boolean).join(" ")).toBe(step);
});

test("the refusal of a missing permission names it and whom to ask", () => {
  const decision = decideAuthorization(situation({ permission: "missing" }));
  expect(decision).toMatchObject({
    error: { message: expect.stringMatching(/authz:login.*administrator of Acme/) },
  });
});
