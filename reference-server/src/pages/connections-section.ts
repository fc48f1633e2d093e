import { paths } from "../protocol/vocabulary.js";
import type { Connection } from "../store/connections.js";
import { renderMoment } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
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
  /** `undefined`: not connected. */
  readonly connection: Pick<Connection, "state" | "reason" | "account" | "lastUsedAt"> | undefined;
}

export function renderConnections({ items, csrfToken }: ConnectionsSection, frame: Frame): Html {
  const { connections: words } = frame.texts;
  return html`<p class="muted">${words.lead}</p>
<ul class="places connections">
${items.map((item) => renderItem(item, csrfToken, frame))}</ul>`;
}

function renderItem(item: ConnectionItem, csrfToken: string, frame: Frame): Html {
  const { name, connection, lacks } = item;
  const { connections: words } = frame.texts;
  const lines = describe(item, frame).map((line) => html`<span class="muted">${line}</span>`);
  const missing = lacks.length > 0 && html`<span class="muted">${words.lacks(renderScopeKeys(lacks))}</span>`;
  const problem =
    connection?.state === "reconnect_required" &&
    html`<span class="problem">${connection.reason !== null && `${words.reasons[connection.reason](name)} `}${words.connectAgain}</span>`;
  return html`<li><span>${name}${lines}${missing}${problem}</span><span class="actions">${renderActions(item, csrfToken, frame)}</span></li>\n`;
}

function describe({ connection }: ConnectionItem, { texts }: Frame): readonly string[] {
  const { connections: words } = texts;
  if (connection === undefined) return [words.notConnected];
  if (connection.state === "disconnecting") return [words.disconnecting];
  const { account, lastUsedAt } = connection;
  const used = lastUsedAt === null ? words.neverUsed : words.lastUsed(renderMoment(lastUsedAt, texts));
  return [...(account.label === null ? [] : [words.account(account.label)]), used];
}

function renderActions(
  { key, name, connectable, connection }: ConnectionItem,
  csrfToken: string,
  { texts }: Frame,
): Html {
  const { connections: words } = texts;
  if (connection?.state === "disconnecting") return html``;
  const isNew = connection === undefined;
  const label = isNew ? words.connectOf(name) : words.reconnectOf(name);
  const connect =
    connectable &&
    html`<form method="post" action="${paths.connectionStart}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="connector" value="${key}"><button class="quiet" aria-label="${label}">${isNew ? words.connect : words.reconnect}</button></form>`;
  const disconnect =
    !isNew &&
    html`<a href="${paths.connectionEnd}?connector=${key}" aria-label="${words.disconnectOf(name)}">${words.disconnect}</a>`;
  return html`${connect}${disconnect}`;
}
