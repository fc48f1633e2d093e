import type { User } from "../store/users.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

/** The account a page speaks about, with what can be done about it at the right. */
export function renderAccount(user: User, action: Html, { texts }: Frame): Html {
  const name = user.name ?? user.email ?? texts.text("pages.account.fallbackName");
  return html`<div class="account">
<span class="face" aria-hidden="true">${initials(name)}</span>
<span class="who"><strong>${name}</strong>${user.name !== null && user.email !== null && html`<span class="muted">${user.email}</span>`}</span>
${action}
</div>`;
}

function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/).filter((word) => word !== "");
  return [words[0], words[1]].map((word) => word?.slice(0, 1).toUpperCase() ?? "").join("");
}
