import { shellWord } from "@authz/agent-tools/hosts";
import { AuthzClientError, type AuthzClientErrorFacts, type AuthzClientErrorReason } from "@authz/client";
import { CliError } from "./cli-error.js";
import type { Advice } from "./next-step.js";

type AdviceFor = Advice | ((facts: AuthzClientErrorFacts) => Advice);

const signInAgain: Advice = { hint: "Sign in again", next: { do: "sign_in" } };
const leaveHeaderOut: Advice = { hint: "Leave it out." };
const tryOrAsk: Advice = {
  hint: "Try again. If it keeps happening, show this message to your administrator.",
};
const laterOrAsk: Advice = { hint: "Try again later, or show this message to your administrator." };
/** What to do when it is unknown whether a request has arrived. */
const lookFirst: Advice = {
  hint: "If it only reads, send it again. Otherwise, first check whether it was carried out.",
};

/** What to do about each reason for which the client library fails. */
const adviceByCode: Readonly<Record<AuthzClientErrorReason, AdviceFor>> = {
  not_signed_in: { hint: "Sign in", next: { do: "sign_in" } },
  session_ended: signInAgain,
  session_damaged: signInAgain,
  sign_in_declined: {
    hint: 'If you did not decline it, ask an administrator for the permission "authz:login".',
  },
  client_not_allowed: { hint: 'Ask an administrator for the permission "authz:login".' },
  sign_in_failed: { hint: "Try again", next: { do: "sign_in" } },
  browser_not_opened: {
    hint: "Sign in with the address instead",
    next: { do: "sign_in", withAddress: true },
  },
  device_login_not_offered: {
    hint: "Sign in with a browser on this computer",
    next: { do: "sign_in", withAddress: true },
  },
  sign_in_timed_out: { hint: "Try again", next: { do: "sign_in" } },
  sign_in_cancelled: { hint: "Nothing was stored. Start again", next: { do: "sign_in" } },
  issuer_invalid: { hint: "Give the address like this: --issuer https://authz.example.com" },
  proxy_invalid: { hint: "Correct it, like http://proxy.example.com:3128, or unset it." },
  address_invalid: { hint: "Write it in full, like https://contracts.example.com/api/contracts" },
  method_invalid: { hint: "Use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS." },
  scope_invalid: ({ availableScopes = ["contracts:read", "contracts:write"] }) => ({
    hint: "Give each scope by itself",
    next: { do: "add_scope", scopes: availableScopes.slice(0, 2) },
  }),
  third_party_scope_invalid: { hint: "Give one scope at a time: --scope repo --scope gist" },
  header_invalid: { hint: 'Write it like this: "Accept: application/json"' },
  header_reserved: leaveHeaderOut,
  header_not_forwarded: leaveHeaderOut,
  scope_required: ({ availableScopes = [] }) => ({
    hint: "Add the one it needs",
    next: { do: "add_scope", scopes: availableScopes.slice(0, 1) },
  }),
  url_not_registered: ({ connection, connectionName }) =>
    connection === undefined
      ? {
          hint: "Check the address. An administrator can register the service, or give you a permission for it.",
        }
      : {
          hint: `It is called with your account at ${connectionName ?? connection}. Add this`,
          next: { do: "add_connection", connection },
        },
  resource_not_available: { hint: "Ask an administrator whether it was disabled or taken from you." },
  scope_unknown: { hint: "Use one of them instead." },
  scope_missing: ({ missingScopes = [], url, installation }) => {
    if (url === undefined)
      return { hint: `Ask an administrator for ${missingScopes.length > 1 ? "them" : "it"}.` };
    const where = installation === undefined ? "" : ` at ${installation}`;
    return {
      hint: `Whom to ask${where}`,
      next: { do: "explain", url, scopes: missingScopes },
    };
  },
  skill_not_found: { hint: "See which skills exist", next: { do: "list_skills" } },
  skill_uncertain: { hint: "Try again in a few minutes. This does not mean that the skill does not exist." },
  address_not_found: { hint: "Check the address of the authorization server." },
  clock_skew: { hint: "Set the clock (automatic time in the system settings), then try again." },
  no_answer: { hint: "Check the address and your network, then try again." },
  unavailable: ({ retryAfterSeconds }) => ({
    hint:
      retryAfterSeconds === undefined
        ? "Try again in a moment."
        : `Try again in ${String(retryAfterSeconds)} seconds.`,
  }),
  answer_broken_off: { hint: "The answer is incomplete. Check your network, then try again." },
  answer_invalid: {
    hint: "Check that the address is the one your administrator gave you, and that nothing in between rewrites answers.",
  },
  refusal_without_code: { hint: "Check that the address is the one your administrator gave you." },
  refusal_unexpected: tryOrAsk,
  machine_not_accepted: tryOrAsk,
  access_request_refused: ({ url }) =>
    url === undefined
      ? { hint: "Ask for what is missing, and only for that." }
      : { hint: "See what you have and what is missing", next: { do: "explain", url, scopes: [] } },
  prefix_ambiguous: { hint: "Ask an administrator to give each service its own request prefix." },
  keyring_unusable: {
    hint: "Unlock it and try again, or keep the session in a file",
    next: { do: "sign_in", inFile: true },
  },
  file_unusable: { hint: "Check that the folder exists, belongs to you and that the disk is not full." },
  file_readable_by_others: (facts) => ({
    hint: `Sign out and in again to get new keys. To keep this session, run: ${ownerOnly(facts)}`,
  }),
  file_writable_by_others: (facts) => ({ hint: `Check its contents, then run: ${ownerOnly(facts)}` }),
  file_of_another_user: {
    hint: "Run the command as the user who signed in, or remove the file and sign in again.",
  },
  store_busy: { hint: "Wait for it or end it, then try again." },
  connection_not_found: { hint: "See which connections exist", next: { do: "list_connections" } },
  connection_declined: connecting("If you did not mean that, start again"),
  connection_failed: connecting("Try again"),
  connection_other_account: ({ connection = "" }) => ({
    hint: "Use the same account, or disconnect it first",
    next: { do: "disconnect", connection },
  }),
  connection_timed_out: connecting("Start again"),
  connection_cancelled: showing("See its state"),
  connection_answer_broken_off: {
    hint: "The answer is incomplete. Ask for less, for example for a page, then try again.",
  },
  connection_answer_lost: laterOrAsk,
  connection_answer_unmarked: ({ sent }) => (sent === "maybe" ? lookFirst : laterOrAsk),
  connection_request_invalid: { hint: "Correct it and try again." },
  connection_target_invalid: { hint: "Write it in full, like https://api.example.com/items/1" },
  connection_scope_invalid: showing("See which scopes can be"),
  connection_scope_missing: showing("Ask an administrator for it. See what is missing"),
  connection_key_unavailable: {
    hint: "You did nothing wrong. Show this message to your administrator.",
  },
  not_connected: connecting("Connect it"),
  reconnect_required: connecting("Connect it again"),
  disconnecting: connecting("Wait a minute, then connect it again"),
  connector_disabled: { hint: "Ask an administrator." },
  transaction_authorization_required: { hint: "Then run the same command again." },
  access_denied: { hint: "Ask the person or an administrator before you try again." },
  target_not_allowed: showing("Check the address. An administrator can allow more. See what is allowed"),
  method_not_allowed: showing("An administrator can allow more. See what is allowed"),
  request_too_large: { hint: "Send less, or ask an administrator to raise the limit." },
  response_too_large: {
    hint: "Ask for less, for example for a page, or ask an administrator to raise the limit.",
  },
  rate_limited: { hint: "Wait, then try again." },
  provider_unreachable: { hint: "Try again later." },
  provider_timeout: { hint: "Try again later, or ask for less." },
  refresh_unavailable: { hint: "Try again in a minute." },
  temporarily_unavailable: { hint: "Try again in a moment." },
};

/** Whether a failure is one that the command or the client library knows. */
export function isExpected(error: unknown): error is AuthzClientError | CliError {
  return error instanceof AuthzClientError || error instanceof CliError;
}

/** What to do about a failure. */
export function adviceOn(error: AuthzClientError | CliError): Advice {
  if (error instanceof CliError) return error;
  const { code, reason, facts } = error;
  const { sent, retryAfterSeconds: seconds } = facts;
  if (code === "unreachable" && sent === "maybe" && reason !== "connection_answer_broken_off")
    return lookFirst;
  if (seconds !== undefined && reason !== "unavailable")
    return { hint: `Wait ${String(seconds)} second${seconds === 1 ? "" : "s"}, then try again.` };
  const advice = adviceByCode[reason];
  return typeof advice === "function" ? advice(facts) : advice;
}

function connecting(hint: string): AdviceFor {
  return ({ connection = "" }) => ({ hint, next: { do: "connect", connection } });
}

function showing(hint: string): AdviceFor {
  return ({ connection = "" }) => ({ hint, next: { do: "show_connection", connection } });
}

/** A command that makes a file private to its owner. */
function ownerOnly({ path = "" }: AuthzClientErrorFacts): string {
  return `chmod 600 ${shellWord(path)}`;
}
