import { paths } from "../protocol/vocabulary.js";
import type { AccessRequest } from "../store/access-requests.js";
import { type AskForm, inWords, renderAskForm, renderRequestState, renderWithdraw } from "./ask-section.js";
import { renderTime, timesScript } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";
import type { ScopeInWords } from "./permissions-section.js";

/** What a person may do in one place and why, what they lack, and the way to ask for it. */
export interface AccessPage {
  /** What it is about; `undefined`: signing in with apps. */
  readonly name: string | undefined;
  readonly held: readonly HeldScope[];
  /** Lacking, and nothing to ask for now. */
  readonly stuck: readonly (ScopeInWords & { readonly reason: StuckReason })[];
  /** `undefined`: there is nothing to ask for. */
  readonly form: AskForm | undefined;
  /** The request that is pending, or was decided last. */
  readonly last: AccessRequest | undefined;
  /** For withdrawing that. */
  readonly csrfToken: string;
}

export interface HeldScope extends ScopeInWords {
  /** The groups that give it; none: it is given to the person's address. */
  readonly groups: readonly { readonly key: string; readonly provider: string }[];
  /** `undefined`: for good. */
  readonly until: Date | undefined;
}

type StuckReason = "directory_unavailable" | "other";

/** Renders what a user may do in one place and why, and the form to request the rest. */
export function renderAccessPage(page: AccessPage, frame: Frame): string {
  const { held, stuck, form, last } = page;
  const { text } = frame.texts;
  const name = page.name ?? text("pages.access.installation");
  const title = text("pages.access.title", { name });
  return renderPage(
    {
      title,
      wide: true,
      body: html`<h1>${title}</h1>
${
  last !== undefined &&
  html`<p class="notice">${renderRequestState(last, frame)}</p>
${last.state === "pending" && renderWithdraw({ id: last.id, name, csrfToken: page.csrfToken, look: "" }, frame)}`
}
${
  held.length > 0 &&
  html`<h2>${text("pages.access.have")}</h2>
<ul class="scopes">
${held.map((scope) => renderHeld(scope, frame))}</ul>\n`
}${
  form !== undefined &&
  html`<h2>${text("pages.access.lack")}</h2>
${renderAskForm(form, frame)}
${last?.state === "pending" && html`<p class="hint">${text("pages.access.again")}</p>`}`
}${
  stuck.length > 0 &&
  html`<h2>${text("pages.access.cannot")}</h2>
<ul class="scopes">
${stuck.map((scope) => {
  const { key, description } = inWords(scope, frame);
  return html`<li><span>${description}<span class="muted">${text(`pages.access.stuck.${scope.reason}`)}</span></span><code>${key}</code></li>\n`;
})}</ul>\n`
}${form === undefined && stuck.length === 0 && last?.state !== "pending" && html`<p>${text("pages.access.complete")}</p>\n`}<p class="buttons"><a class="button" href="${paths.home}">${text("pages.access.back")}</a></p>`,
      scripts: [timesScript],
    },
    frame,
  );
}

function renderHeld(scope: HeldScope, frame: Frame): Html {
  const { texts } = frame;
  const { key, description } = inWords(scope, frame);
  const by =
    scope.groups.length === 0
      ? texts.text("pages.access.byAddress")
      : texts.text("pages.access.byGroups", {
          count: scope.groups.length,
          groups: scope.groups.map((group) => `${group.key} (${group.provider})`).join(", "),
        });
  const until =
    scope.until !== undefined &&
    html`, ${texts.parts<Html>("pages.access.until", { date: renderTime(scope.until, texts) })}`;
  return html`<li><span>${description}<span class="muted">${by}${until}</span></span><code>${key}</code></li>\n`;
}
