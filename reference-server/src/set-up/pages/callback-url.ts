import { renderCopyButton } from "../../pages/copy-button.js";
import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";

/** An address to be copied by hand, or with one click where scripts run. */
export function renderCallbackUrl(url: string, { texts }: Frame): Html {
  return html`<div class="copyable"><code>${url}</code>${renderCopyButton(url, texts)}</div>`;
}
