import type { Approver, CallRule } from "../rules/call-rule.js";
import type { UnclearReason } from "../rules/readable-call.js";
import type { Destination } from "./destination.js";
import type { HeaderLine } from "./header-lines.js";
import { refusals } from "./refusals.js";

/** The service or connector whose rules are applied. */
export interface RuledObject {
  readonly type: "resource" | "connector";
  readonly id: string;
  readonly key: string;
  /** The identifier of the service; `null`: it is a connector. */
  readonly resource: string | null;
  readonly rules: readonly CallRule[];
  readonly destination: Destination;
}

/** A call that is noted. */
export interface CallFacts {
  readonly id: string;
  readonly startedAt: Date;
  readonly user: { readonly id: string; readonly email: string | null };
  readonly clientId: string;
  readonly grantId: string;
  readonly requestId: string;
  readonly url: URL;
}

/** A call that needs somebody's yes, exactly as it would be sent. */
export interface HeldCall extends CallFacts {
  readonly object: RuledObject;
  readonly method: string;
  /** Those that are sent, without the credential. */
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer | undefined;
  readonly approver: Approver;
  /** The position of the rule, from 0. */
  readonly rule: number;
  /** The administrator's words. */
  readonly say: string | undefined;
  readonly unclear: UnclearReason | undefined;
}

/**
 * Resolves when this call has a yes, which it uses up. It is the last step before the call is sent.
 *
 * @throws {UseRefusal} `transaction_authorization_required`, or `access_denied` when somebody said no
 */
export type AskForApproval = (call: HeldCall) => Promise<void>;

/** Fails closed: every call that needs a yes is refused. */
export const neverApproved: AskForApproval = async ({ object, rule, unclear }) => {
  throw refusals.approvalRequired(object.destination, { rule, unclear });
};
