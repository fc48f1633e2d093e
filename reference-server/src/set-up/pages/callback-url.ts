import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";

/** Makes the buttons of this file copy; without it they stay hidden. */
export const copyScript = "/assets/copy.js";

/** An address to be copied by hand, or with one click where scripts run. */
export function renderCallbackUrl(url: string, { texts }: Frame): Html {
  const { text } = texts;
  return html`<div class="copyable"><code>${url}</code><button type="button" class="quiet" hidden data-copy="${url}" data-copied="${text("set-up.review.copied")}">${text("set-up.review.copy")}</button></div>`;
}
