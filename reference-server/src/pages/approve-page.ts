import { paths } from "../protocol/vocabulary.js";
import type { ApprovalState } from "../store/approvals.js";
import { renderTime, timesScript } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";

/** One call that a person is asked about, in words. */
export interface ApprovePage {
  readonly id: string;
  readonly state: ApprovalState;
  readonly app: {
    readonly name: string;
    readonly provenance: "registered" | "nobody" | { readonly host: string };
  };
  /** `undefined`: the approver themselves. */
  readonly person: string | undefined;
  /** `resource` of a connector: `null`. */
  readonly service: { readonly name: string; readonly resource: string | null };
  /** In words; absent: the call has no declared type. */
  readonly title: string | undefined;
  /** A rule asks, not the service. */
  readonly isRuled: boolean;
  readonly method: string;
  readonly url: string;
  readonly rows: readonly { readonly label: string; readonly value: string | readonly string[] }[];
  readonly hidden: number;
  /** In the words of the service, or of the rule; empty: none. */
  readonly reason: string;
  readonly askedAt: Date;
  readonly until: Date;
  /** What the app did lately, as sentences. */
  readonly recent: readonly { readonly at: Date; readonly sentence: string }[];
  /** What the person can do; `undefined`: nothing any more. */
  readonly action:
    | { readonly kind: "answer"; readonly csrfToken: string; readonly canEnd: boolean }
    | { readonly kind: "sign_in"; readonly reason: "ask" | "ignored" | "unknown"; readonly href: string }
    | undefined;
}

/** The page on which a person answers. It needs no script. */
export function renderApprovePage(page: ApprovePage, frame: Frame): string {
  const { app, person, service, title, recent, hidden, action } = page;
  const { text, parts } = frame.texts;
  const name = html`<strong>${app.name}</strong>`;
  const lead =
    person === undefined
      ? parts<Html>("pages.approve.lead", { app: name, service: service.name })
      : parts<Html>("pages.approve.leadForOther", { app: name, service: service.name, person });
  return renderPage(
    {
      title: text("pages.approve.title"),
      body: html`<h1>${title === undefined ? text("pages.approve.title") : text("pages.approve.heading", { title })}</h1>
<p class="lead">${lead}</p>
${renderProvenance(page, frame)}
${action === undefined && html`<p class="notice" role="status">${stateText(page, frame)}</p>`}
<h2>${text("pages.approve.call")}</h2>
<dl class="facts">
<div><dt>${text("pages.approve.service")}</dt><dd>${service.name}${service.resource !== null && html` <code>${service.resource}</code>`}</dd></div>
<div><dt>${text("pages.approve.method")}</dt><dd><code>${page.method}</code></dd></div>
<div><dt>${text("pages.approve.address")}</dt><dd><code>${page.url}</code></dd></div>
<div><dt>${text("pages.approve.asked")}</dt><dd>${renderTime(page.askedAt, frame.texts)}</dd></div>
${action !== undefined && html`<div><dt>${text("pages.approve.until")}</dt><dd>${renderTime(page.until, frame.texts)}</dd></div>\n`}</dl>
${renderDetails(page, frame)}
${hidden > 0 && html`<p class="hint">${text("pages.approve.hidden", { count: hidden })}</p>`}
${renderReason(page, frame)}
<h2>${text("pages.approve.recent", { whose: person === undefined ? "own" : "other" })}</h2>
${
  recent.length === 0
    ? html`<p class="hint">${text("pages.approve.nothing")}</p>`
    : html`<ul class="effects">
${recent.map(({ at, sentence }) => html`<li>${sentence} <span class="muted">${renderTime(at, frame.texts)}</span></li>\n`)}</ul>`
}
${renderAction(page, frame)}`,
      scripts: [timesScript],
    },
    frame,
  );
}

/** Why it is asked, framed: these are not our words. */
function renderReason({ reason, isRuled, service }: ApprovePage, { texts: { text } }: Frame): Html | false {
  if (reason === "") return false;
  const caption = isRuled
    ? text("pages.approve.reasonOfRule")
    : text("pages.approve.reason", { service: service.name });
  return html`<figure class="theirs"><figcaption>${caption}</figcaption>
<blockquote>${reason}</blockquote></figure>`;
}

/** A call through this server is sent when the app makes it again; a token is collected. */
function stateText({ state, isRuled }: ApprovePage, { texts: { text } }: Frame): string {
  if (isRuled && (state === "approved" || state === "collected"))
    return text(`pages.approve.statesOfRule.${state}`);
  return text(`pages.approve.states.${state}`);
}

function renderDetails({ rows }: ApprovePage, { texts }: Frame): Html | false {
  if (rows.length === 0) return false;
  const cell = (value: string | readonly string[]) =>
    typeof value === "string"
      ? html`${value}`
      : html`<ul>${value.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`<h2 id="details">${texts.text("pages.approve.details")}</h2>
<table class="details" aria-labelledby="details"><tbody>
${rows.map(({ label, value }) => html`<tr><th scope="row">${label}</th><td>${cell(value)}</td></tr>\n`)}</tbody></table>`;
}

/** What is proven about the app's name, which is only a claim. */
function renderProvenance({ app: { name, provenance } }: ApprovePage, { texts }: Frame): Html | false {
  if (provenance === "registered") return false;
  if (provenance === "nobody")
    return html`<p class="hint proven">${texts.text("pages.consent.provenByNobody", { client: name })}</p>`;
  const host = html`<strong>${provenance.host}</strong>`;
  return html`<p class="hint proven">${texts.parts("pages.consent.provenByHost", { client: name, host })}</p>`;
}

function renderAction({ id, action }: ApprovePage, { texts: { text } }: Frame): Html {
  if (action === undefined)
    return html`<p class="buttons"><a class="button" href="${paths.home}">${text("pages.approve.back")}</a></p>`;
  if (action.kind === "sign_in") {
    const again =
      action.reason === "ask" &&
      html`\n<p class="buttons"><a class="button primary" href="${action.href}">${text("pages.approve.signIn.action")}</a></p>`;
    return html`<p class="notice">${text(`pages.approve.signIn.${action.reason}`)}</p>${again}`;
  }
  return html`<form method="post" action="${paths.approve}/${id}">
<input type="hidden" name="csrf" value="${action.csrfToken}">
<p class="hint">${text("pages.approve.once")}</p>
<div class="buttons pair">
<button name="decision" value="decline">${text("pages.approve.decline")}</button>
<button name="decision" value="approve">${text("pages.approve.allow")}</button>
</div>
${action.canEnd && html`<div class="buttons"><button class="quiet" name="decision" value="decline_and_end">${text("pages.approve.declineAndEnd")}</button></div>`}
</form>`;
}

/** Calls that wait for a person, on their account page. */
export function renderWaitingApprovals(
  items: readonly {
    readonly id: string;
    readonly app: string;
    readonly service: string;
    readonly method: string;
    readonly until: Date;
  }[],
  { texts }: Frame,
): Html {
  const { text, parts } = texts;
  const rows = items.map(({ id, app, service, method, until }) => {
    const what = parts<Html>("pages.approve.sectionItem", {
      app,
      service,
      method: html`<code>${method}</code>`,
    });
    const name = text("pages.approve.sectionItem", { app, service, method });
    return html`<li><span>${what}<span class="muted">${text("pages.approve.until")} ${renderTime(until, texts)}</span></span><a class="button" href="${paths.approve}/${id}" aria-label="${text("pages.approve.answer")}: ${name}">${text("pages.approve.answer")}</a></li>\n`;
  });
  return html`<ul class="places">
${rows}</ul>`;
}
