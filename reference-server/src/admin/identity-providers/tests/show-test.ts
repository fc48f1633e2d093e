import { describeSignIn } from "../../../registry/probes/describe-sign-in.js";
import type { Check } from "../../../registry/probes/check.js";
import { providerChecks } from "../../../registry/probes/sign-in-checks.js";
import type { SignInTestResult } from "../../../sign-in-tests/begin-test.js";
import type { IdentityProvider } from "../../../store/identity-providers.js";
import type { SignInTest as StoredTest } from "../../../store/sign-in-tests.js";
import { sayBelow } from "../../../text/say-below.js";
import type { AdminCall } from "../../door/call.js";
import { isoTime } from "../../door/list-query.js";
import type { SignInTest } from "./schemas.js";

interface Shown {
  readonly provider: Pick<IdentityProvider, "name" | "issuer">;
  readonly authorizationUrl?: string | undefined;
  /** The group provider that takes its groups claim needs one. */
  readonly needsGroups: boolean;
}

/** A test in the caller's language. */
export function showTest(
  test: StoredTest,
  { provider, authorizationUrl, needsGroups }: Shown,
  { now, say }: Pick<AdminCall, "now" | "say">,
): SignInTest {
  const { id, withChanges, createdAt, finishedAt, expiresAt, passed } = test;
  const result = test.result as SignInTestResult | null;
  const open = expiresAt > now ? "pending" : "expired";
  return {
    id,
    state: passed === null ? open : passed ? "passed" : "failed",
    authorizationUrl: authorizationUrl ?? null,
    withChanges,
    startedAt: isoTime(createdAt),
    finishedAt: finishedAt && isoTime(finishedAt),
    expiresAt: isoTime(expiresAt),
    checks: result === null ? [] : describe(result, { provider, needsGroups }, say),
    providerMessage: result?.detail ?? null,
    claims: (result?.claims ?? []).map((claim) => ({ ...claim })),
  };
}

function describe(
  result: SignInTestResult,
  { provider, needsGroups }: Shown,
  say: AdminCall["say"],
): Check[] {
  const t = sayBelow("administration.signInTest", say);
  const { email = "", person, presence = false } = result;
  const found = {
    discovery: t("found.discovery"),
    issuer: provider.issuer,
    sign_in: t("found.signIn"),
    token_endpoint: t("found.tokenEndpoint"),
    id_token: t("found.idToken"),
    email,
    email_verified: t("found.emailVerified"),
    email_domain: t("found.emailDomain"),
    person:
      person === undefined || person === null
        ? t("found.newPerson", { email })
        : t("found.knownPerson", { email, name: person.name ?? email }),
    presence: presence ? t("found.presence") : t("found.presenceOff"),
  };
  const checks = describeSignIn(result, { checks: providerChecks, provider, found, say });
  return [...checks, describeGroups(result, { needsGroups, t })];
}

/** Groups never make a test fail: without them people can sign in, with fewer permissions. */
function describeGroups(
  { fault, groups }: SignInTestResult,
  {
    needsGroups,
    t,
  }: {
    readonly needsGroups: boolean;
    readonly t: ReturnType<typeof sayBelow<"administration.signInTest">>;
  },
): Check {
  const check = { id: "groups", title: t("groups.title") };
  if (fault !== undefined) return { ...check, state: "unreached", detail: "" };
  if (typeof groups === "number") {
    return { ...check, state: "passed", detail: t("groups.named", { count: groups }) };
  }
  if (!needsGroups) return { ...check, state: "passed", detail: t("groups.unused") };
  return { ...check, state: "warning", detail: t("groups.missing"), remedy: t("groups.remedy") };
}
