import type { Message } from "../../text/message.js";
import { sayBelow } from "../../text/say-below.js";
import type { Check } from "./check.js";
import { checkOfFault, type SignInCheck, type TestResult } from "./sign-in-checks.js";

export interface SignInDescription {
  /** Those that it went through, in their order. */
  readonly checks: readonly SignInCheck[];
  readonly provider: { readonly name: string; readonly issuer: string };
  /** The person who had to come back, where only one may. */
  readonly administrator?: string;
  /** What a check that passed has found, where there is something to say. */
  readonly found?: Partial<Readonly<Record<SignInCheck, string>>>;
  readonly say: (message: Message) => string;
}

/** What a sign-in that was tried went through: the failed check with what to do, and those that were not reached. */
export function describeSignIn(
  { fault, email = "" }: TestResult,
  { checks, provider, administrator = "", found = {}, say }: SignInDescription,
): readonly Check[] {
  const t = sayBelow("set-up.result", say);
  const last = fault === undefined ? checks.length : checks.indexOf(checkOfFault[fault]);
  const about = { provider: provider.name, email, administrator, issuer: provider.issuer };
  return checks.map((id, index): Check => {
    const title = t(`checks.${id}`);
    if (index > last) return { id, state: "unreached", title, detail: "" };
    if (fault === undefined || index < last) return { id, state: "passed", title, detail: found[id] ?? "" };
    const detail = t(`faults.${fault}.what`, about);
    return { id, state: "failed", title, detail, remedy: t(`faults.${fault}.remedy`, about) };
  });
}
