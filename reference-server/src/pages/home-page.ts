import { paths } from "../protocol/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { type ConnectionsSection, renderConnections } from "./connections-section.js";
import { renderMoment } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";
import { type PermissionsSection, renderPermissions } from "./permissions-section.js";
import { renderSkills, type SkillsSection } from "./skills-section.js";

export interface HomePage {
  readonly issuer: string;
  readonly user: User;
  readonly administers: boolean;
  readonly permissions: PermissionsSection;
  readonly skills: SkillsSection;
  readonly connections: ConnectionsSection;
  readonly devices: readonly {
    readonly id: string;
    readonly clientName: string;
    readonly shortCode: string | undefined;
    readonly since: Date;
  }[];
  readonly browsers: readonly {
    readonly id: string;
    /** `undefined` when the browser does not say what it is. */
    readonly product: string | undefined;
    readonly system: string | undefined;
    readonly since: Date;
    readonly current: boolean;
  }[];
  readonly csrfToken: string;
}

/** The employee's own page: what they may do, their skills, where they are signed in, and the ways out. */
export function renderHomePage(page: HomePage, frame: Frame): string {
  const { csrfToken } = page;
  const { home } = frame.texts;
  return renderPage(
    {
      title: home.title,
      wide: true,
      body: html`<h1>${home.title}</h1>
${renderAccount(
  page.user,
  html`<form method="post" action="${paths.signOut}"><input type="hidden" name="csrf" value="${csrfToken}"><button class="quiet">${home.signOut}</button></form>`,
  frame,
)}
${page.administers && html`<p class="buttons"><a class="button primary" href="${paths.administration}">${home.administration}</a></p>`}
<section aria-labelledby="permissions"><h2 id="permissions">${home.permissions}</h2>
${renderPermissions(page.permissions, frame)}</section>
<section aria-labelledby="skills"><h2 id="skills">${home.skills}</h2>
${renderSkills(page.skills, frame)}</section>
${
  page.connections.items.length > 0 &&
  html`<section aria-labelledby="connections"><h2 id="connections">${frame.texts.connections.title}</h2>
${renderConnections(page.connections, frame)}</section>\n`
}<section aria-labelledby="client"><h2 id="client">${home.client}</h2>
<p class="muted">${home.clientLead}</p>
<pre><code>npm install -g @authz/cli
authz login --issuer ${page.issuer}</code></pre></section>
<section aria-labelledby="devices"><h2 id="devices">${home.devices}</h2>
${renderDevices(page, frame)}</section>
<section aria-labelledby="browsers"><h2 id="browsers">${home.browsers}</h2>
${renderBrowsers(page, frame)}</section>`,
    },
    frame,
  );
}

function renderDevices({ devices, csrfToken }: HomePage, { texts }: Frame): Html {
  const { home } = texts;
  if (devices.length === 0)
    return html`<p class="empty">${home.noDevices(html`<code class="sample">authz login</code>`)}</p>`;
  const places = devices.map(({ id, clientName, shortCode, since }) => {
    const code = shortCode !== undefined && html` <code>${shortCode}</code>`;
    const label = home.signOutOf(`${clientName} ${shortCode ?? ""}`.trim());
    const action = { path: paths.endLogIn, id, label, csrfToken };
    return renderPlace(
      { name: html`${clientName}${code}`, since: renderMoment(since, texts), action },
      texts,
    );
  });
  return html`<ul class="places">
${places}</ul>
<p class="hint">${home.devicesHint}</p>`;
}

function renderBrowsers({ browsers, csrfToken }: HomePage, { texts }: Frame): Html {
  const { home } = texts;
  const places = browsers.map(({ id, product = home.browser, system, since: at, current }) => {
    const name = system === undefined ? product : home.browserOn(product, system);
    const since = renderMoment(at, texts);
    if (current) return renderPlace({ name: html`${home.thisBrowser(name)}`, since }, texts);
    const action = { path: paths.endSession, id, label: home.signOutOf(name), csrfToken };
    return renderPlace({ name: html`${name}`, since, action }, texts);
  });
  return html`<ul class="places">
${places}</ul>`;
}

interface Place {
  readonly name: Html;
  readonly since: string;
  readonly action?: {
    readonly path: string;
    readonly id: string;
    readonly label: string;
    readonly csrfToken: string;
  };
}

function renderPlace({ name, since, action }: Place, { home }: Frame["texts"]): Html {
  const form =
    action !== undefined &&
    html`<form method="post" action="${action.path}"><input type="hidden" name="csrf" value="${action.csrfToken}"><input type="hidden" name="id" value="${action.id}"><button class="quiet" aria-label="${action.label}">${home.signOut}</button></form>`;
  return html`<li><span>${name}<span class="muted">${home.since(since)}</span></span>${form}</li>\n`;
}

/** Asks before signing out, when another site sent the browser here. */
export function renderSignOutPage(
  page: { readonly user: User; readonly csrfToken: string },
  frame: Frame,
): string {
  const { home } = frame.texts;
  return renderPage(
    {
      title: home.signOutTitle,
      body: html`<h1>${home.signOutHeading(frame.installationName ?? "Authz")}</h1>
${renderAccount(page.user, html``, frame)}
<form method="post" action="${paths.signOut}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<div class="buttons pair"><a class="button" href="${paths.home}">${home.staySignedIn}</a><button>${home.signOut}</button></div>
</form>`,
    },
    frame,
  );
}
