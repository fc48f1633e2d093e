import { renderAccount } from "../pages/fragments.js";
import type { Frame } from "../pages/frame.js";
import { type Html, html, linkTo, strong } from "../pages/html.js";
import { renderPage } from "../pages/layout.js";
import type { Vault } from "../platform/vault/vault.js";
import { paths } from "../protocol/vocabulary.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { ConnectorScope } from "../store/connectors.js";
import type { User } from "../store/users.js";
import type { ConnectErrorCode } from "./connect/connect-error.js";
import type { Provider } from "./provider/provider.js";
import type { Revocation } from "./provider/revocation.js";

/** What the pages of connections share. */
export interface ConnectorPageContext extends PageContext {
  readonly connectorVault: Vault;
  readonly connectorProvider: Provider;
}

/** The name that the forms for beginning and ending a connection are bound to. */
export const connectionsForm = "connections";

/** What the form calls the checkbox of a scope. */
export function scopeField(scope: string): string {
  return `scope ${scope}`;
}

export interface AskToConnectPage {
  readonly attemptId: string;
  readonly connectorName: string;
  /** The client that asks; `undefined`: the person does. */
  readonly clientName: string | undefined;
  readonly user: User;
  readonly scopes: readonly ConnectorScope[];
  /** Those that are ticked. */
  readonly chosen: readonly string[];
  readonly methods: readonly string[];
  readonly requestPrefixes: readonly string[];
  /** Of the connector, as it is shown. */
  readonly version: number;
  readonly csrfToken: string;
  readonly switchAccountHref: string;
}

/** Says what connecting means, and lets a person leave scopes out, before they go to the third party. */
export function renderAskToConnectPage(page: AskToConnectPage, frame: Frame): string {
  const { connectorName: name, clientName, requestPrefixes } = page;
  const { text, parts } = frame.texts;
  return renderPage(
    {
      title: text("connections.ask.title", { name }),
      body: html`<h1>${parts("connections.ask.heading", { name: html`<em>${name}</em>` })}</h1>
<p class="lead">${text("connections.ask.lead", { name, installation: frame.installationName ?? "Authz" })}</p>
${clientName !== undefined && html`<p class="notice">${parts("connections.ask.fromClient", { client: clientName, strong })}</p>`}
${renderAccount(page.user, html`<a href="${page.switchAccountHref}">${text("pages.account.notYou")}</a>`, frame)}
<form method="post" action="${paths.connections}/${page.attemptId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<input type="hidden" name="version" value="${page.version}">
${page.scopes.length > 0 && renderScopes(page, frame)}
<h2>${text("connections.ask.abilities")}</h2>
<p>${describeMethods(page.methods, frame)}</p>
<ul class="prefixes">
${requestPrefixes.map((prefix) => html`<li><code>${prefix}</code></li>\n`)}</ul>
<p class="hint">${text("connections.ask.hint")}</p>
<div class="buttons pair">
<button name="decision" value="cancel">${text("connections.ask.cancel")}</button>
<button class="primary" name="decision" value="continue">${text("connections.ask.continue", { name })}</button>
</div>
</form>`,
    },
    frame,
  );
}

function renderScopes({ connectorName, scopes, chosen }: AskToConnectPage, { texts }: Frame): Html {
  const { text } = texts;
  const items = scopes.map(({ scope, description, required }) => {
    const state = required
      ? html` checked disabled`
      : html` name="${scopeField(scope)}" value="on"${chosen.includes(scope) && html` checked`}`;
    const note = required && html`<span class="muted">${text("connections.ask.required")}</span>`;
    return html`<li><label><input type="checkbox"${state}><span>${description ?? scope}${note}${description !== null && html`<code>${scope}</code>`}</span></label></li>\n`;
  });
  return html`<h2>${text("connections.ask.scopes", { name: connectorName })}</h2>
<ul class="ticks">
${items}</ul>`;
}

function describeMethods(methods: readonly string[], { texts }: Frame): string {
  const { text } = texts;
  if (methods.includes("DELETE")) return text("connections.ask.deleting");
  return methods.every((method) => method === "GET" || method === "HEAD")
    ? text("connections.ask.reading")
    : text("connections.ask.changing");
}

/**
 * Sends the browser on to the third party. A page and not a redirect: browsers apply the form's policy to every redirect
 * that follows it, and a third party may redirect anywhere.
 */
export function renderGoingPage(
  { connectorName: name, href }: { readonly connectorName: string; readonly href: string },
  frame: Frame,
): string {
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("connections.going.title", { name }),
      refreshTo: href,
      body: html`<h1>${text("connections.going.title", { name })}</h1>
<p class="buttons"><a class="button primary" href="${href}">${text("connections.going.link", { name })}</a></p>`,
    },
    frame,
  );
}

export interface ConnectEndPage {
  readonly connectorName: string;
  /** A client waits for it. */
  readonly fromClient: boolean;
}

export function renderConnectedPage(
  page: ConnectEndPage & { readonly accountLabel: string | null },
  frame: Frame,
): string {
  const { text, parts } = frame.texts;
  const title = text("connections.connected.title", { name: page.connectorName });
  return renderPage(
    {
      title,
      body: html`<h1>${title}</h1>
${page.accountLabel !== null && html`<p class="lead">${text("connections.connected.account", { label: page.accountLabel })}</p>`}
${page.fromClient && html`<p>${text("connections.connected.terminal")}</p>`}
<p class="hint">${parts("connections.connected.hint", { link: linkTo(paths.home) })}</p>`,
    },
    frame,
  );
}

export function renderNotConnectedPage(
  page: ConnectEndPage & { readonly code: ConnectErrorCode },
  frame: Frame,
): string {
  const { text } = frame.texts;
  const title = text("connections.failed.title", { name: page.connectorName });
  return renderPage(
    {
      title,
      body: html`<h1>${title}</h1>
<p class="lead">${text(`connections.failed.failures.${page.code}`, { name: page.connectorName })}</p>
${
  page.fromClient
    ? html`<p>${text("connections.failed.terminal")}</p>`
    : html`<p class="buttons"><a class="button" href="${paths.home}">${text("connections.failed.accountPage")}</a></p>`
}
<p class="hint"><code>${page.code}</code></p>`,
    },
    frame,
  );
}

/** Says what disconnecting does, and asks. */
export function renderEndConnectionPage(
  page: {
    readonly key: string;
    readonly connectorName: string;
    readonly accountLabel: string | null;
    readonly csrfToken: string;
  },
  frame: Frame,
): string {
  const { connectorName: name, accountLabel } = page;
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("connections.end.title", { name }),
      body: html`<h1>${text("connections.end.title", { name })}</h1>
${accountLabel !== null && html`<p class="lead">${text("connections.end.account", { label: accountLabel })}</p>`}
<ul class="effects">
<li>${text("connections.end.effects.use")}</li>
<li>${text("connections.end.effects.access", { name })}</li>
<li>${text("connections.end.effects.stored")}</li>
</ul>
<form method="post" action="${paths.connectionEnd}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<input type="hidden" name="connector" value="${page.key}">
<div class="buttons pair"><a class="button" href="${paths.home}">${text("connections.end.keep")}</a><button>${text("connections.end.disconnect")}</button></div>
</form>`,
    },
    frame,
  );
}

/** What became of a connection; `revocation` is `undefined` when there was none. */
export function renderEndedConnectionPage(
  page: {
    readonly connectorName: string;
    readonly revocation: Revocation | undefined;
    /** Where a person removes access at the third party. */
    readonly removalUrl: string | null;
  },
  frame: Frame,
): string {
  const { connectorName: name, revocation, removalUrl } = page;
  const { text } = frame.texts;
  const title = text("connections.ended.title", { name });
  const outcome =
    revocation === undefined
      ? text("connections.ended.nothing", { name })
      : text(`connections.ended.revocations.${revocation}`, { name });
  const advice =
    revocation !== undefined &&
    revocation !== "confirmed" &&
    (removalUrl === null
      ? html`<p>${text("connections.ended.removeSomewhere", { name })}</p>`
      : html`<p class="buttons"><a class="button primary" href="${removalUrl}" rel="noreferrer">${text("connections.ended.removeThere", { name })}</a></p>`);
  return renderPage(
    {
      title,
      body: html`<h1>${title}</h1>
<p class="${revocation === "unconfirmed" ? "notice" : "lead"}">${outcome}</p>
${advice}
<p class="buttons"><a class="button" href="${paths.home}">${text("connections.failed.accountPage")}</a></p>`,
    },
    frame,
  );
}
