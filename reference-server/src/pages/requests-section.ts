import { paths } from "../protocol/vocabulary.js";
import type { AccessRequest } from "../store/access-requests.js";
import { renderRequestState } from "./ask-section.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

/** What a person has asked administrators for lately. */
export interface RequestsSection {
  readonly items: readonly NamedRequest[];
  readonly csrfToken: string;
}

/** A request, and what the place that it is about is called; `undefined`: this installation itself. */
export interface NamedRequest {
  readonly name: string | undefined;
  readonly request: AccessRequest;
}

export function renderRequests({ items, csrfToken }: RequestsSection, frame: Frame): Html {
  const { text } = frame.texts;
  const rows = items.map(({ name = text("pages.access.installation"), request }) => {
    const { id, state } = request;
    const withdraw = state === "pending" && renderWithdraw({ id, name, csrfToken, look: "quiet" }, frame);
    return html`<li><div>${name}<span class="muted">${renderRequestState(request, frame)}</span><span class="muted">${text("pages.access.yourReason", { reason: request.reason })}</span></div>${withdraw}</li>\n`;
  });
  return html`<ul class="places requests">
${rows}</ul>`;
}

/** The way to withdraw a request that is pending. */
export function renderWithdraw(
  request: {
    readonly id: string;
    readonly name: string;
    readonly csrfToken: string;
    readonly look: "quiet" | "";
  },
  { texts }: Frame,
): Html {
  const { id, name, csrfToken, look } = request;
  return html`<form method="post" action="${paths.withdrawAccess}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="id" value="${id}"><button class="${look}" aria-label="${texts.text("pages.access.withdrawOf", { name })}">${texts.text("pages.access.withdraw")}</button></form>`;
}
