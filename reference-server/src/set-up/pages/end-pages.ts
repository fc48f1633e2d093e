import { paths } from "../../protocol/vocabulary.js";
import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";

/**
 * Leads on to the provider by itself.
 *
 * A page, because Chromium applies `form-action` to redirects, and where the provider's page is is not known before it
 * was asked.
 */
export function renderLeavingPage(
  page: { readonly provider: string; readonly href: string },
  frame: Frame,
): string {
  const { setUp } = frame.texts;
  return renderPage(
    {
      title: setUp.title,
      refreshTo: page.href,
      body: html`<h1>${setUp.leaving.heading(page.provider)}</h1>
<p class="lead">${setUp.leaving.lead}</p>
<p class="buttons"><a class="button" href="${page.href}">${setUp.leaving.link}</a></p>`,
    },
    frame,
  );
}

/** The end: everything is stored, and whoever did it is signed in. */
export function renderDonePage(page: { readonly email: string }, frame: Frame): string {
  const { done } = frame.texts.setUp;
  return renderPage(
    {
      title: frame.texts.setUp.title,
      body: html`<h1>${done.heading(frame.installationName ?? "Authz")}</h1>
<p class="lead">${done.lead(page.email)}</p>
<p>${done.next}</p>
<p class="buttons"><a class="button primary" href="${paths.administration}">${done.console}</a></p>`,
    },
    frame,
  );
}
