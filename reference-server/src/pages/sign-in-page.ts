import type { Frame } from "./frame.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface SignInChoice {
  readonly name: string;
  /** Where the link leads. */
  readonly href: string;
}

/** The choice of the company account, when there are several kinds. */
export function renderSignInPage(choices: readonly SignInChoice[], frame: Frame): string {
  const { text } = frame.texts;
  const items = choices.map(
    ({ name, href }) =>
      html`<li><a class="choice" href="${href}"><span>${name}</span><span aria-hidden="true">→</span></a></li>\n`,
  );
  return renderPage(
    {
      title: text("pages.signIn.title"),
      body: html`<h1>${text("pages.signIn.heading", { installation: frame.installationName ?? "Authz" })}</h1>
<p class="lead">${text("pages.signIn.lead")}</p>
<ul class="choices">
${items}</ul>`,
    },
    frame,
  );
}

/** What a browser sees that is not signed in and did not come with a request. */
export function renderWelcomePage(
  page: { readonly signInHref: string; readonly signedOut: boolean },
  frame: Frame,
): string {
  const { text, parts } = frame.texts;
  const link = (label: string) =>
    html`<p class="buttons"><a class="button" href="${page.signInHref}">${label}</a></p>`;
  return renderPage(
    {
      title: page.signedOut ? text("pages.welcome.signedOutTitle") : text("pages.welcome.title"),
      body: page.signedOut
        ? html`<h1>${text("pages.welcome.signedOut")}</h1>
<p class="lead">${text("pages.welcome.signedOutLead")}</p>
${link(text("pages.welcome.signInAgain"))}`
        : html`<h1>${frame.installationName}</h1>
<p class="lead">${text("pages.welcome.lead")}</p>
${link(text("pages.welcome.signIn"))}
<p class="hint">${parts("pages.welcome.hint", { command: html`<code class="sample">authz login</code>` })}</p>`,
    },
    frame,
  );
}
