import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";
import { paths } from "../../protocol/vocabulary.js";

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
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("set-up.title"),
      refreshTo: page.href,
      body: html`<h1>${text("set-up.leaving.heading", { provider: page.provider })}</h1>
<p class="lead">${text("set-up.leaving.lead")}</p>
<p class="buttons"><a class="button" href="${page.href}">${text("set-up.leaving.link")}</a></p>`,
    },
    frame,
  );
}

/** The end: everything is stored, and whoever did it is signed in. */
export function renderDonePage(page: { readonly email: string }, frame: Frame): string {
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("set-up.title"),
      body: html`<h1>${text("set-up.done.heading", { installation: frame.installationName ?? "Authz" })}</h1>
<p class="lead">${text("set-up.done.lead", { email: page.email })}</p>
<p>${text("set-up.done.next")}</p>
<p class="buttons"><a class="button primary" href="${paths.administration}">${text("set-up.done.console")}</a></p>`,
    },
    frame,
  );
}
