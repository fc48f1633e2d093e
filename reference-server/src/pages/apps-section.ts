import { isClientScope, paths } from "../protocol/vocabulary.js";
import type { Texts } from "../text/texts.js";
import { renderTime } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";
import type { ScopeInWords } from "./permissions-section.js";
import { renderStopLink, renderStops, type ShownStop } from "./stops-section.js";

/** An app that acts for a person, with each device and service that it was allowed. */
export interface SignedInApp {
  /** The client. */
  readonly id: string;
  /** What it calls itself. */
  readonly name: string;
  /** Where it has proven to come from; `undefined` when it has not. */
  readonly host: string | undefined;
  readonly grants: readonly SignedInGrant[];
  /** What the person is not asked again. */
  readonly consents: readonly {
    readonly serviceName: string;
    readonly scopes: readonly ScopeInWords[];
    readonly givenAt: Date;
  }[];
}

interface SignedInGrant {
  readonly id: string;
  /** What the client or the person calls the device. */
  readonly deviceName: string | undefined;
  /** `undefined` for a client without a key of its own. */
  readonly shortCode: string | undefined;
  /** `undefined`: it acts at this server itself. */
  readonly serviceName: string | undefined;
  /** Who vouches for it; `undefined`: the person allowed it. */
  readonly providerName: string | undefined;
  readonly scopes: readonly ScopeInWords[];
  readonly since: Date;
  readonly lastUsedAt: Date;
}

export interface AppsSection {
  readonly apps: readonly SignedInApp[];
  readonly stops: readonly ShownStop[];
  /** The person may sign in with an app. */
  readonly signsIn: boolean;
  readonly csrfToken: string;
}

/** What acts for the person, by app, and what is stopped, with the way to end and to stop one and all. */
export function renderApps({ stops, csrfToken, ...section }: AppsSection, frame: Frame): Html {
  return html`${renderStops({ stops, csrfToken }, frame)}${renderSignedIn({ ...section, csrfToken }, frame)}`;
}

function renderSignedIn({ apps, signsIn, csrfToken }: Omit<AppsSection, "stops">, frame: Frame): Html {
  const { text, parts } = frame.texts;
  if (apps.length === 0 && !signsIn) return html`<p class="empty">${text("pages.home.noAppsYet")}</p>`;
  if (apps.length === 0)
    return html`<p class="empty">${parts("pages.home.noApps", { command: html`<code class="sample">authz login</code>` })}</p>`;
  const groups = renderGroups(
    apps,
    (app) =>
      html`${app.grants.map((grant) => renderGrant(grant, { app, csrfToken, frame }))}${app.consents.map((consent) => renderConsent(consent, frame))}`,
    (app) => renderStopLink(app, frame),
  );
  const grants = apps.flatMap((app) => app.grants);
  const isVouched = grants.some(({ providerName }) => providerName !== undefined);
  return html`${groups}<p class="hint">${text(isVouched ? "pages.home.appsHintVouched" : "pages.home.appsHint")}</p>${
    apps.some(({ consents }) => consents.length > 0) &&
    html`<p class="hint">${text("pages.home.consentsHint")}</p>`
  }
<p class="buttons">${
    grants.length > 1 &&
    html`<a class="button" href="${paths.endGrants}">${text("pages.home.signOutApps")}</a> `
  }<a class="button" href="${paths.stopApps}">${text("pages.home.stops.stopAll")}</a></p>`;
}

/** Asks before all apps are signed out, and names what ends. */
export function renderSignOutAppsPage(
  { apps, csrfToken }: Pick<AppsSection, "apps" | "csrfToken">,
  frame: Frame,
): string {
  const { text } = frame.texts;
  const count = apps.flatMap(({ grants }) => grants).length;
  return renderPage(
    {
      title: text("pages.home.signOutApps"),
      body: html`<h1>${text("pages.home.signOutAppsHeading")}</h1>
<p>${text("pages.home.signOutAppsLead", { count })}</p>
${renderNamed(apps, frame)}<form method="post" action="${paths.endGrants}"><input type="hidden" name="csrf" value="${csrfToken}">
<div class="buttons pair"><a class="button" href="${paths.home}">${text("pages.home.keepApps")}</a><button>${text("pages.home.signOutApps")}</button></div>
</form>`,
    },
    frame,
  );
}

/** Says which apps have been signed out. */
export function renderSignedOutAppsPage(apps: readonly SignedInApp[], frame: Frame): string {
  const { text } = frame.texts;
  const count = apps.flatMap(({ grants }) => grants).length;
  return renderPage(
    {
      title: text("pages.home.signedOutApps"),
      body: html`<h1>${text("pages.home.signedOutApps")}</h1>
<p role="status">${text("pages.home.signedOutAppsLead", { count })}</p>
${renderNamed(apps, frame)}<p class="hint">${text("pages.home.signedOutAppsHint")}</p>
<p class="buttons"><a class="button" href="${paths.home}">${text("pages.access.back")}</a></p>`,
    },
    frame,
  );
}

function renderNamed(apps: readonly SignedInApp[], frame: Frame): Html {
  return html`${renderGroups(
    apps,
    ({ grants }) => html`${grants.map((grant) => html`<li><div>${renderPlace(grant, frame)}</div></li>\n`)}`,
  )}`;
}

function renderGroups(
  apps: readonly SignedInApp[],
  renderItems: (app: SignedInApp) => Html,
  renderBelow?: (app: SignedInApp) => Html,
): readonly Html[] {
  return apps.map(
    (app) => html`<h3>${app.name}${app.host !== undefined && html` <code>${app.host}</code>`}</h3>
<ul class="places">
${renderItems(app)}</ul>\n${renderBelow?.(app)}`,
  );
}

function renderGrant(
  grant: SignedInGrant,
  { app, csrfToken, frame }: { readonly app: SignedInApp; readonly csrfToken: string; readonly frame: Frame },
): Html {
  const { texts } = frame;
  const { text } = texts;
  const { id, deviceName, shortCode, scopes } = grant;
  const place = placeName(grant, frame);
  const named = [app.name, deviceName ?? "", place, shortCode ?? ""].filter((word) => word !== "").join(" ");
  const label = text("pages.home.signOutOf", { name: named });
  const rename = html`<details><summary>${text("pages.home.nameDevice")}</summary><form method="post" action="${paths.renameGrant}" class="inline"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="id" value="${id}"><label>${text("pages.home.deviceName")} <input name="name" value="${deviceName ?? ""}" maxlength="80" autocomplete="off"></label> <button class="quiet" aria-label="${text("pages.home.saveDeviceName", { name: named })}">${text("pages.home.saveName")}</button></form></details>`;
  return html`<li><div>${renderPlace(grant, frame)}${renderScopes(scopes, texts)}${rename}</div><form method="post" action="${paths.endGrant}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="id" value="${id}"><button class="quiet" aria-label="${label}">${text("pages.home.signOut")}</button></form></li>\n`;
}

/** Where an app acts, on which device, and since when. */
function renderPlace(grant: SignedInGrant, frame: Frame): Html {
  const { texts } = frame;
  const { deviceName, shortCode, providerName, since, lastUsedAt } = grant;
  const code = shortCode !== undefined && html` <code>${shortCode}</code>`;
  const device = deviceName !== undefined && html`<strong>${deviceName}</strong><br>`;
  const used = texts.parts<Html>("pages.home.sinceAndUsed", {
    since: renderTime(since, texts),
    used: renderTime(lastUsedAt, texts),
  });
  const vouched =
    providerName !== undefined &&
    html`<span class="muted">${texts.text("pages.home.vouchedBy", { provider: providerName })}</span>`;
  return html`${device}${placeName(grant, frame)}${code}<span class="muted">${used}</span>${vouched}`;
}

function placeName({ serviceName }: SignedInGrant, { installationName = "Authz", texts }: Frame): string {
  return serviceName ?? texts.text("pages.home.ofInstallation", { installation: installationName });
}

function renderConsent(
  { serviceName, scopes, givenAt }: SignedInApp["consents"][number],
  { texts }: Frame,
): Html {
  const given = texts.parts<Html>("pages.home.consentGiven", {
    service: serviceName,
    date: renderTime(givenAt, texts),
  });
  return html`<li><div><span class="muted">${given}</span>${renderScopes(scopes, texts)}</div></li>\n`;
}

function renderScopes(scopes: readonly ScopeInWords[], { text }: Texts): Html | false {
  if (scopes.length === 0) return false;
  const items = scopes.map(({ key, description }) => {
    const words = isClientScope(key) ? text(`pages.consent.clientScopes.${key}`) : description;
    return html`<li><span>${words}</span><code>${key}</code></li>\n`;
  });
  return html`<details><summary>${text("pages.home.appScopes", { count: scopes.length })}</summary><ul class="scopes">
${items}</ul></details>`;
}
