import { paths } from "../oauth/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface HomePage {
  readonly installationName: string;
  readonly user: User;
  readonly devices: readonly {
    readonly clientName: string;
    readonly shortCode: string;
    readonly since: Date;
  }[];
  readonly csrfToken: string;
}

/** The employee's own page: the account, the devices that act for it, and the way out. */
export function renderHomePage(page: HomePage): string {
  const devices = page.devices.map(
    ({ clientName, shortCode, since }) =>
      html`<li><span>${clientName}<span class="muted">since ${renderDate(since)}</span></span><code>${shortCode}</code></li>\n`,
  );
  return renderPage({
    title: "Your account",
    installationName: page.installationName,
    body: html`<h1>Your account</h1>
${renderAccount(
  page.user,
  html`<form method="post" action="${paths.signOut}"><input type="hidden" name="csrf" value="${page.csrfToken}"><button class="quiet">Sign out</button></form>`,
)}
<h2>Devices that act for you</h2>
${
  devices.length > 0
    ? html`<ul class="scopes">
${devices}</ul>`
    : html`<p class="empty">None yet. Type <code>authz login</code> in your terminal to add this one.</p>`
}`,
  });
}

/** Asks before signing out, when another site sent the browser here. */
export function renderSignOutPage(page: {
  readonly installationName: string;
  readonly user: User;
  readonly csrfToken: string;
}): string {
  return renderPage({
    title: "Sign out",
    installationName: page.installationName,
    body: html`<h1>Sign out of ${page.installationName}?</h1>
${renderAccount(page.user, html``)}
<form method="post" action="${paths.signOut}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<div class="buttons pair"><a class="button" href="${paths.home}">Stay signed in</a><button>Sign out</button></div>
</form>`,
  });
}

function renderDate(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ") + " UTC";
}
