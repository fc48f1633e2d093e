import { type Html, html } from "./html.js";

/** Drawn, because not every font has such signs, and some have them in color. On a grid of 16. */
const drawings = {
  passed: html`<path d="M3 8.5l3.3 3.3L13 5"/>`,
  failed: html`<path d="M4 4l8 8M12 4l-8 8"/>`,
  open: html`<path d="M4.5 8h7"/>`,
} as const;

/** How far a check came, beside words that say it. */
export function renderStateIcon(state: keyof typeof drawings): Html {
  return html`<svg class="state" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${drawings[state]}</svg>`;
}
