import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface SignInChoice {
  readonly name: string;
  /** Where the link leads. */
  readonly href: string;
}

/** The choice of the company account, when there are several kinds. */
export function renderSignInPage(page: {
  readonly installationName: string;
  readonly choices: readonly SignInChoice[];
}): string {
  const choices = page.choices.map(
    ({ name, href }) =>
      html`<li><a class="choice" href="${href}"><span>${name}</span><span aria-hidden="true">→</span></a></li>\n`,
  );
  return renderPage({
    title: "Sign in",
    installationName: page.installationName,
    body: html`<h1>Sign in to ${page.installationName}</h1>
<p class="lead">Choose the account you use at work.</p>
<ul class="choices">
${choices}</ul>`,
  });
}

/** What a browser sees that is not signed in and did not come with a request. */
export function renderWelcomePage(page: {
  readonly installationName: string;
  readonly signInHref: string;
  readonly signedOut: boolean;
}): string {
  const { installationName } = page;
  return renderPage({
    title: page.signedOut ? "Signed out" : "Welcome",
    installationName,
    body: page.signedOut
      ? html`<h1>You are signed out</h1>
<p class="lead">This browser no longer knows you. Devices where you use the command line stay signed in.</p>
<p class="buttons"><a class="button" href="${page.signInHref}">Sign in again</a></p>`
      : html`<h1>${installationName}</h1>
<p class="lead">Sign in to see your account and the devices that act for you.</p>
<p class="buttons"><a class="button" href="${page.signInHref}">Sign in</a></p>
<p class="hint">To use services from the command line, type <code>authz login</code> in your terminal.</p>`,
  });
}
