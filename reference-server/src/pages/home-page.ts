import { paths } from "../protocol/vocabulary.js";
import type { AssignedPerson } from "../store/assignments.js";
import { loginScope } from "../store/system-scopes.js";
import type { User } from "../store/users.js";
import type { Texts } from "../text/texts.js";
import { copyScript, renderAccount, renderCopyable, renderPeopleToAsk } from "./fragments.js";
import { type AgentsSection, renderAgents } from "./agents-section.js";
import { renderWaitingApprovals } from "./approve-page.js";
import { renderApps, type SignedInApp } from "./apps-section.js";
import { type ConnectionsSection, renderConnections } from "./connections-section.js";
import { renderTime, timesScript } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";
import { type PermissionsSection, renderPermissions } from "./permissions-section.js";
import { type RequestsSection, renderRequests } from "./ask-section.js";
import type { ShownStop } from "./stops-section.js";
import { renderSkills, type SkillsSection } from "./skills-section.js";

export interface HomePage {
  readonly issuer: string;
  readonly user: User;
  readonly administers: boolean;
  readonly permissions: PermissionsSection;
  /** Calls that wait for the person's answer. */
  readonly approvals: Parameters<typeof renderWaitingApprovals>[0];
  readonly requests: RequestsSection;
  /** Whom to ask for the permission to sign in with apps; `undefined` when the person has it or may have it. */
  readonly askForLogin: readonly AssignedPerson[] | undefined;
  /** `undefined` while no agent can be connected. */
  readonly agents: AgentsSection | undefined;
  readonly skills: SkillsSection;
  readonly connections: ConnectionsSection;
  readonly apps: readonly SignedInApp[];
  readonly stops: readonly ShownStop[];
  readonly browsers: readonly {
    readonly id: string;
    /** `undefined` when the user agent is unknown. */
    readonly product: string | undefined;
    readonly system: string | undefined;
    readonly since: Date;
    readonly lastUsedAt: Date;
    readonly current: boolean;
  }[];
  readonly csrfToken: string;
}

/** The employee's own page: what they may do, their skills, where they are signed in, and the ways out. */
export function renderHomePage(page: HomePage, frame: Frame): string {
  const { csrfToken } = page;
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("pages.home.title"),
      wide: true,
      scripts: [timesScript, copyScript],
      body: html`<h1>${text("pages.home.title")}</h1>
${renderAccount(
  page.user,
  html`<form method="post" action="${paths.signOut}"><input type="hidden" name="csrf" value="${csrfToken}"><button class="quiet">${text("pages.home.signOut")}</button></form>`,
  frame,
)}
${page.administers && html`<p class="buttons"><a class="button primary" href="${paths.administration}">${text("pages.home.administration")}</a></p>`}
${
  page.approvals.length > 0 &&
  html`<section aria-labelledby="approvals"><h2 id="approvals">${text("pages.approve.section")}</h2>
${renderWaitingApprovals(page.approvals, frame)}</section>\n`
}<section aria-labelledby="permissions"><h2 id="permissions">${text("pages.home.permissions")}</h2>
${renderPermissions(page.permissions, frame)}</section>
${
  page.requests.items.length > 0 &&
  html`<section aria-labelledby="requests"><h2 id="requests">${text("pages.home.requests")}</h2>
${renderRequests(page.requests, frame)}</section>\n`
}<section aria-labelledby="skills"><h2 id="skills">${text("pages.home.skills")}</h2>
${renderSkills(page.skills, frame)}</section>
${
  page.connections.items.length > 0 &&
  html`<section aria-labelledby="connections"><h2 id="connections">${text("connections.title")}</h2>
${renderConnections(page.connections, frame)}</section>\n`
}${
  page.agents !== undefined &&
  html`<section aria-labelledby="agents"><h2 id="agents">${text("pages.agents.title")}</h2>
${renderAgents(page.agents, frame)}</section>\n`
}<section aria-labelledby="client"><h2 id="client">${text("pages.home.client")}</h2>
${renderClient(page, frame)}</section>
<section aria-labelledby="apps"><h2 id="apps">${text("pages.home.apps")}</h2>
${renderApps({ ...page, signsIn: page.askForLogin === undefined }, frame)}</section>
<section aria-labelledby="browsers"><h2 id="browsers">${text("pages.home.browsers")}</h2>
${renderBrowsers(page, frame)}</section>`,
    },
    frame,
  );
}

/** How to install the command line, or whom to ask before it would work. */
function renderClient({ askForLogin, issuer }: HomePage, { texts }: Frame): Html {
  const { text, parts } = texts;
  if (askForLogin !== undefined) {
    const words = {
      ask: text("pages.home.ask"),
      nobody: text("pages.home.askNobody"),
      askHere: text("pages.access.send"),
    };
    return html`<p>${parts("pages.home.noLogin", { scope: html`<code>${loginScope}</code>` })}</p>
${renderPeopleToAsk(askForLogin, words)}`;
  }
  const lines = `npm install --global @authz/cli\nauthz login --issuer ${issuer}`;
  return html`<p class="muted" id="client-lead">${text("pages.home.clientLead")}</p>
${renderCopyable(lines, texts, "client-lead")}`;
}

function renderBrowsers({ browsers, csrfToken }: HomePage, { texts }: Frame): Html {
  const { text } = texts;
  const places = browsers.map(
    ({ id, product = text("pages.home.browser"), system, since: at, lastUsedAt, current }) => {
      const name =
        system === undefined ? product : text("pages.home.browserOn", { browser: product, system });
      const since = html`${texts.parts<Html>("pages.home.sinceAndUsed", {
        since: renderTime(at, texts),
        used: renderTime(lastUsedAt, texts),
      })}`;
      if (current)
        return renderPlace(
          { name: html`${text("pages.home.thisBrowser", { browser: name })}`, since },
          texts,
        );
      const action = { path: paths.endSession, id, label: text("pages.home.signOutOf", { name }), csrfToken };
      return renderPlace({ name: html`${name}`, since, action }, texts);
    },
  );
  return html`<ul class="places">
${places}</ul>`;
}

interface Place {
  readonly name: Html;
  readonly since: Html;
  readonly action?: {
    readonly path: string;
    readonly id: string;
    readonly label: string;
    readonly csrfToken: string;
  };
}

function renderPlace({ name, since, action }: Place, { text }: Texts): Html {
  const form =
    action !== undefined &&
    html`<form method="post" action="${action.path}"><input type="hidden" name="csrf" value="${action.csrfToken}"><input type="hidden" name="id" value="${action.id}"><button class="quiet" aria-label="${action.label}">${text("pages.home.signOut")}</button></form>`;
  return html`<li><span>${name}<span class="muted">${since}</span></span>${form}</li>\n`;
}

/** Asks before signing out, when another site sent the browser here. */
export function renderSignOutPage(
  page: { readonly user: User; readonly csrfToken: string },
  frame: Frame,
): string {
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("pages.home.signOutTitle"),
      body: html`<h1>${text("pages.home.signOutHeading", { installation: frame.installationName ?? "Authz" })}</h1>
${renderAccount(page.user, html``, frame)}
<form method="post" action="${paths.signOut}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<div class="buttons pair"><a class="button" href="${paths.home}">${text("pages.home.staySignedIn")}</a><button>${text("pages.home.signOut")}</button></div>
</form>`,
    },
    frame,
  );
}
