import type { Texts } from "../text/texts.js";
import { type Html, html } from "./html.js";

/** Makes {@link renderCopyButton} copy; without it the button stays hidden. */
export const copyScript = "/assets/copy.js";

/**
 * A button that copies a text and says so.
 *
 * @param about The id of what says in words what is copied.
 */
export function renderCopyButton(copied: string, { text }: Texts, about?: string): Html {
  return html`<button type="button" class="quiet" hidden${about !== undefined && html` aria-describedby="${about}"`} data-copy="${copied}" data-copied="${text("pages.copy.done")}" data-failed="${text("pages.copy.failed")}">${text("pages.copy.action")}</button>`;
}

/** Lines to be copied by hand, or with one click where scripts run. They can be scrolled with the keyboard. */
export function renderCopyable(lines: string, texts: Texts, about: string): Html {
  return html`<div class="copyable"><pre tabindex="0" aria-describedby="${about}"><code>${lines}</code></pre>${renderCopyButton(lines, texts, about)}</div>`;
}
