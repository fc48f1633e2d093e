import { paths } from "../oauth/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";

export interface HomePage {
  readonly installationName: string;
  readonly user: User;
  readonly devices: readonly {
    readonly id: string;
    readonly clientName: string;
    readonly shortCode: string | undefined;
    readonly since: Date;
  }[];
  readonly browsers: readonly {
    readonly id: string;
    readonly name: string;
    readonly since: Date;
    readonly current: boolean;
  }[];
  readonly csrfToken: string;
}

/** The employee's own page: the account, where it is signed in, and the ways out. */
export function renderHomePage(page: HomePage): string {
  const { csrfToken } = page;
  const devices = page.devices.map(({ id, clientName, shortCode, since }) => {
    const code = shortCode !== undefined && html` <code>${shortCode}</code>`;
    const name = html`${clientName}${code}`;
    const label = `Sign out ${clientName} ${shortCode ?? ""}`;
    return renderPlace({ name, since, action: { path: paths.endLogIn, id, label, csrfToken } });
  });
  const browsers = page.browsers.map(({ id, name, since, current }) => {
    if (current) return renderPlace({ name: html`${name}, this one`, since });
    const label = `Sign out ${name}`;
    return renderPlace({
      name: html`${name}`,
      since,
      action: { path: paths.endSession, id, label, csrfToken },
    });
  });
  return renderPage({
    title: "Your account",
    installationName: page.installationName,
    body: html`<h1>Your account</h1>
${renderAccount(
  page.user,
  html`<form method="post" action="${paths.signOut}"><input type="hidden" name="csrf" value="${csrfToken}"><button class="quiet">Sign out</button></form>`,
)}
<h2>Devices that act for you</h2>
${
  devices.length > 0
    ? html`<ul class="places">
${devices}</ul>
<p class="hint">A device that you sign out has to ask you again before it can do anything.</p>`
    : html`<p class="empty">None yet. Type <code>authz login</code> in your terminal to add this one.</p>`
}
<h2>Browsers you are signed in in</h2>
<ul class="places">
${browsers}</ul>`,
  });
}

interface Place {
  readonly name: Html;
  readonly since: Date;
  readonly action?: {
    readonly path: string;
    readonly id: string;
    readonly label: string;
    readonly csrfToken: string;
  };
}

function renderPlace({ name, since, action }: Place): Html {
  const form =
    action !== undefined &&
    html`<form method="post" action="${action.path}"><input type="hidden" name="csrf" value="${action.csrfToken}"><input type="hidden" name="id" value="${action.id}"><button class="quiet" aria-label="${action.label}">Sign out</button></form>`;
  return html`<li><span>${name}<span class="muted">since ${renderDate(since)}</span></span>${form}</li>\n`;
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
