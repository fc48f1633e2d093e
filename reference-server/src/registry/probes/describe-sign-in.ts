import type { Message } from "../../text/message.js";
import { sayBelow } from "../../text/say-below.js";
import type { Check } from "./check.js";
import { checkOfFault, checks, type SignInCandidate, type TestResult } from "./sign-in-checks.js";

/** What a sign-in that was tried went through: every check that was reached, the failed one with what to do. */
export function describeSignIn(
  { fault, email = "" }: TestResult,
  {
    candidate: { provider, administratorEmail: administrator },
    say,
  }: { readonly candidate: SignInCandidate; readonly say: (message: Message) => string },
): readonly Check[] {
  const t = sayBelow("set-up.result", say);
  const last = fault === undefined ? undefined : checkOfFault[fault];
  const reached = last === undefined ? checks : checks.slice(0, checks.indexOf(last) + 1);
  const about = { provider: provider.name, email, administrator, issuer: provider.issuer };
  return reached.map((id): Check => {
    const title = t(`checks.${id}`);
    if (fault === undefined || id !== last) return { id, state: "passed", title, detail: "" };
    const detail = t(`faults.${fault}.what`, about);
    return { id, state: "failed", title, detail, remedy: t(`faults.${fault}.remedy`, about) };
  });
}
