import { paths } from "../protocol/vocabulary.js";
import type { Connection } from "../store/connections.js";
import { renderTime } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { accessHref } from "./permissions-section.js";
import { renderScopeKeys } from "./skills-section.js";

/** A person's connections, and what else they could connect. */
export interface ConnectionsSection {
  readonly items: readonly ConnectionItem[];
  readonly csrfToken: string;
}

export interface ConnectionItem {
  /** Of the connector. */
  readonly key: string;
  readonly name: string;
  /** The connector takes new connections, and the person may have one. */
  readonly connectable: boolean;
  /** Scopes of this installation that the person lacks to use it. */
  readonly lacks: readonly string[];
  /** Whether the person can ask for those. */
  readonly requestable: boolean;
  /** `undefined`: not connected. */
  readonly connection: Pick<Connection, "state" | "reason" | "account" | "lastUsedAt"> | undefined;
}

export function renderConnections({ items, csrfToken }: ConnectionsSection, frame: Frame): Html {
  const { text } = frame.texts;
  return html`<p class="muted">${text("connections.lead")}</p>
<ul class="places connections">
${items.map((item) => renderItem(item, csrfToken, frame))}</ul>`;
}

function renderItem(item: ConnectionItem, csrfToken: string, frame: Frame): Html {
  const { name, connection, lacks } = item;
  const { text, parts } = frame.texts;
  const lines = describe(item, frame).map((line) => html`<span class="muted">${line}</span>`);
  const missing =
    lacks.length > 0 &&
    html`<span class="muted">${parts("connections.lacks", { scopes: renderScopeKeys(lacks) })}</span>`;
  const problem =
    connection?.state === "reconnect_required" &&
    html`<span class="problem">${connection.reason !== null && `${text(`connections.reasons.${connection.reason}`, { name })} `}${text("connections.connectAgain")}</span>`;
  return html`<li><span>${name}${lines}${missing}${problem}</span><span class="actions">${renderActions(item, csrfToken, frame)}</span></li>\n`;
}

function describe(
  { connection }: ConnectionItem,
  { texts }: Frame,
): readonly (string | readonly (string | Html)[])[] {
  const { text, parts } = texts;
  if (connection === undefined) return [text("connections.notConnected")];
  if (connection.state === "disconnecting") return [text("connections.disconnecting")];
  const { account, lastUsedAt } = connection;
  const used =
    lastUsedAt === null
      ? text("connections.neverUsed")
      : parts<Html>("connections.lastUsed", { date: renderTime(lastUsedAt, texts) });
  return [...(account.label === null ? [] : [text("connections.account", { label: account.label })]), used];
}

function renderActions(
  { key, name, connectable, requestable, connection }: ConnectionItem,
  csrfToken: string,
  { texts }: Frame,
): Html {
  const { text } = texts;
  if (connection?.state === "disconnecting") return html``;
  const isNew = connection === undefined;
  const label = isNew ? text("connections.connectOf", { name }) : text("connections.reconnectOf", { name });
  const connect =
    connectable &&
    html`<form method="post" action="${paths.connectionStart}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="connector" value="${key}"><button class="quiet" aria-label="${label}">${isNew ? text("connections.connect") : text("connections.reconnect")}</button></form>`;
  const disconnect =
    !isNew &&
    html`<a href="${paths.connectionEnd}?connector=${key}" aria-label="${text("connections.disconnectOf", { name })}">${text("connections.disconnect")}</a>`;
  const ask =
    requestable &&
    html`<a href="${accessHref({ connector: key })}" aria-label="${text("connections.lacksAskOf", { name })}">${text("connections.lacksAsk")}</a>`;
  return html`${connect}${ask}${disconnect}`;
}
