import { AuthzClientError, type AuthzClientErrorReason } from "@authz/client";
import { reasonCauses } from "@authz/client/reasons";
import type { AuthzErrorReason } from "@authz/verify";
import { reasonTexts } from "@authz/verify/reasons";
import { exitCodeFor } from "../../../packages/cli/src/exit-code.js";
import { adviceOn } from "../../../packages/cli/src/messages/advice.js";
import { hintOf } from "../../../packages/cli/src/messages/next-step.js";
import { adminErrorStatus } from "../../../reference-server/src/admin/door/refusals.js";
import type { AuditReason } from "../../../reference-server/src/audit/events.js";
import { textsIn } from "../../../reference-server/src/text/texts.js";
import { adminCodes } from "../../../reference-server/test/documentation/admin-codes.js";
import { auditedCures } from "../../../reference-server/test/documentation/audited-cures.js";
import { loggedReasons } from "../../../reference-server/test/documentation/logged-reasons.js";
import { cliCodes } from "./cli-codes.js";
import { generatedNote, page, table, tablesByCure } from "./tables.js";

/** Every refusal reason, with cause and cure. */
export function reasonsPage(): string {
  return page([
    "# Reasons",
    "Every reason that the SDK, the client, the command and the server can give: what it means and what to do about it. Callers read a `code`, which is an error of the standards; the precise `reason` is for operators and developers, in the log, the audit trail, or an error object.",
    generatedNote,
    "## The SDK",
    'In the event `{ "type": "refused", "code", "reason" }` of the `log` option. In code: `import { reasonTexts } from "@authz/verify/reasons"`.',
    ...sdkSections(),
    "## The client and the command",
    "`reason` of an `AuthzClientError`, and beside it the `code` that the command prints and the exit code. What to do is in the command's words. The causes are in `@authz/client/reasons`.",
    clientTable(),
    "### Only the command",
    table(
      ["`code`", "Cause", "Cure"],
      Object.entries(cliCodes).map(([code, { cause, cure }]) => [`\`${code}\``, cause, cure]),
    ),
    "## The server",
    "### In the audit trail and the log",
    "`reason` of events such as `token.refused`, `sign_in.refused`, `connection.denied` and `client_document.refused`. The console shows the cause in words.",
    auditTable(),
    "### In the log only",
    "`reason` of the line that a refused request leaves. The caller reads a standard error and a sentence. Besides these, `assertion_` and the [reasons of a proof](#proofs) appear there under the same names as in the SDK.",
    tablesByCure(
      ["`reason`", "Cause", "Cure"],
      Object.entries(loggedReasons).map(([reason, { cause, cure }]) => [`\`${reason}\``, cause, cure]),
    ),
    "### The admin API",
    "`error` of an answer of `/api/admin/v1`. Its `error_description` is more precise, and in the caller's language.",
    table(
      ["`error`", "Status", "Cause", "Cure"],
      Object.entries(adminCodes).map(([code, { cause, cure }]) => [
        `\`${code}\``,
        String(adminErrorStatus[code as keyof typeof adminErrorStatus]),
        cause,
        cure,
      ]),
    ),
    "Lines of the log that are about no request have codes of their own: [log codes](log-codes.md).",
  ]);
}

const sdkParts: readonly (readonly [string, (reason: string) => boolean])[] = [
  ["Proofs", (reason) => reason.startsWith("dpop_")],
  ["Tokens and assertions", (reason) => reason.startsWith("jwt_")],
  ["Requests and token requests", (reason) => !/^(?:dpop|jwt)_|_unavailable$/.test(reason)],
  ["Out of reach", (reason) => reason.endsWith("_unavailable")],
];

function sdkSections(): string[] {
  const reasons = Object.keys(reasonTexts) as AuthzErrorReason[];
  return sdkParts.flatMap(([title, belongs]) => [
    `### ${title}`,
    tablesByCure(
      ["`reason`", "Cause", "Cure"],
      reasons
        .filter(belongs)
        .map((reason) => [`\`${reason}\``, reasonTexts[reason].cause, reasonTexts[reason].cure]),
    ),
  ]);
}

function clientTable(): string {
  const invocation = {
    program: "authz",
    platform: "linux",
    profile: undefined,
    login: { words: [], variables: {} },
  };
  const facts = {
    connection: "CONNECTION",
    connectionName: "CONNECTION",
    availableScopes: ["SCOPE"],
    path: "FILE",
  };
  const rows = Object.entries(reasonCauses).map(([name, cause]) => {
    const reason = name as AuthzClientErrorReason;
    const { connection, ...others } = facts;
    const known = reason === "url_not_registered" ? others : { connection, ...others };
    const error = new AuthzClientError(reason, { what: cause, ...known });
    const advice = adviceOn(error);
    const hint = hintOf(advice, { ...invocation, platform: "linux" });
    return [`\`${reason}\``, `\`${error.code}\``, String(exitCodeFor(error.code)), cause, asCode(hint)];
  });
  return tablesByCure(["`reason`", "`code`", "Exit", "Cause", "Cure"], rows);
}

/** Formats the command after the last colon of a hint as code. */
function asCode(hint: string): string {
  return hint.replace(/: ((?:authz|--|chmod) ?.+)$/, ": `$1`");
}

function auditTable(): string {
  const { text } = textsIn("en");
  const rows = Object.entries(auditedCures)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([reason, cure]) => {
      const cause = text(`audit.reasons.${reason as AuditReason}`);
      return [`\`${reason}\``, `${cause.slice(0, 1).toUpperCase()}${cause.slice(1)}.`, cure];
    });
  return tablesByCure(["`reason`", "Cause", "Cure"], rows);
}
