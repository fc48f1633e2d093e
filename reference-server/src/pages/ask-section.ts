import { paths } from "../protocol/vocabulary.js";
import { type AccessRequest, longestReason } from "../store/access-requests.js";
import { renderTime } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import type { ScopeInWords } from "./permissions-section.js";
import { renderScopeKeys } from "./skills-section.js";

/** A form with which a person asks administrators for permissions. */
export interface AskForm {
  readonly action: string;
  /** What it carries back beside the reason and the choice. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly scopes: readonly ScopeInWords[];
  /** The keys that are ticked; `undefined`: there is no choice, all of them are asked for. */
  readonly chosen?: readonly string[];
  /** What was typed before, and why that was not taken. */
  readonly reason?: string;
  readonly problem?: string;
}

/** What the form calls the checkbox of a scope. */
export function wantedField(scope: string): string {
  return `scope ${scope}`;
}

export function renderAskForm(form: AskForm, frame: Frame): Html {
  const { action, hidden, chosen, reason = "", problem } = form;
  const { text } = frame.texts;
  const about = problem === undefined ? "reason-hint" : "reason-hint ask-problem";
  const state = html` aria-describedby="${about}"${problem !== undefined && html` aria-invalid="true"`}`;
  return html`<form method="post" action="${action}" class="ask">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${renderWanted(form.scopes, chosen, frame)}
<div class="field"><label for="reason">${text("pages.access.reason")}</label>
<p class="hint" id="reason-hint">${text("pages.access.reasonHint")}</p>
<textarea id="reason" name="reason" rows="3" maxlength="${longestReason}" required${state}>${reason}</textarea>
${problem !== undefined && html`<p class="problem" id="ask-problem" role="alert">${problem}</p>\n`}</div>
<div class="buttons"><button class="primary">${text("pages.access.send")}</button></div>
</form>`;
}

function renderWanted(
  scopes: readonly ScopeInWords[],
  chosen: readonly string[] | undefined,
  frame: Frame,
): Html {
  const worded = scopes.map((scope) => inWords(scope, frame));
  if (chosen === undefined)
    return html`<ul class="scopes">
${worded.map(({ key, description }) => html`<li><span>${description}</span><code>${key}</code></li>\n`)}</ul>`;
  const items = worded.map(({ key, description }) => {
    const state = html` name="${wantedField(key)}" value="on"${chosen.includes(key) && html` checked`}`;
    return html`<li><label><input type="checkbox"${state}><span>${description}<code>${key}</code></span></label></li>\n`;
  });
  return html`<ul class="ticks">
${items}</ul>`;
}

/** Describes this server's own permissions in the language of the page. */
export function inWords({ key, description }: ScopeInWords, { texts }: Frame): ScopeInWords {
  const own = `pages.home.systemScopes.${key}`;
  return { key, description: texts.has(own) ? texts.text(own) : description };
}

/** The state of a request in a sentence, with the administrator's note if there is one. */
export function renderRequestState(
  request: Pick<
    AccessRequest,
    "state" | "scopes" | "grantedScopes" | "expiresAt" | "note" | "createdAt" | "decidedAt"
  >,
  { texts }: Frame,
): Html {
  const { state, note, expiresAt, createdAt, decidedAt } = request;
  const sentence = texts.parts<Html>(`pages.access.states.${state}`, {
    scopes: renderScopeKeys(state === "approved" ? request.grantedScopes : request.scopes),
    date: renderTime(decidedAt ?? createdAt, texts),
  });
  const end =
    expiresAt !== null &&
    html` ${texts.parts<Html>("pages.access.states.until", { date: renderTime(expiresAt, texts) })}`;
  return html`${sentence}${end}${note !== null && html` ${texts.text("pages.access.states.note", { note })}`}`;
}

/** What a person has asked administrators for lately. */
export interface RequestsSection {
  readonly items: readonly NamedRequest[];
  readonly csrfToken: string;
}

/** A request, and what the place that it is about is called; `undefined`: this installation itself. */
export interface NamedRequest {
  readonly name: string | undefined;
  readonly request: AccessRequest;
}

export function renderRequests({ items, csrfToken }: RequestsSection, frame: Frame): Html {
  const { text } = frame.texts;
  const rows = items.map(({ name = text("pages.access.installation"), request }) => {
    const { id, state } = request;
    const withdraw = state === "pending" && renderWithdraw({ id, name, csrfToken, look: "quiet" }, frame);
    return html`<li><div>${name}<span class="muted">${renderRequestState(request, frame)}</span><span class="muted">${text("pages.access.yourReason", { reason: request.reason })}</span></div>${withdraw}</li>\n`;
  });
  return html`<ul class="places requests">
${rows}</ul>`;
}

/** The way to withdraw a request that is pending. */
export function renderWithdraw(
  request: {
    readonly id: string;
    readonly name: string;
    readonly csrfToken: string;
    readonly look: "quiet" | "";
  },
  { texts }: Frame,
): Html {
  const { id, name, csrfToken, look } = request;
  return html`<form method="post" action="${paths.withdrawAccess}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="id" value="${id}"><button class="${look}" aria-label="${texts.text("pages.access.withdrawOf", { name })}">${texts.text("pages.access.withdraw")}</button></form>`;
}
