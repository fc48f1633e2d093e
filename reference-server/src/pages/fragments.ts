import { paths } from "../protocol/vocabulary.js";
import type { AssignedPerson } from "../store/assignments.js";
import type { User } from "../store/users.js";
import type { Texts } from "../text/texts.js";
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

/** Makes {@link renderCopyButton} copy; without it the button stays hidden. */
export const copyScript = "/assets/copy.js";

/**
 * A button that copies a text and confirms it.
 *
 * @param about The id of the element that describes what is copied.
 */
export function renderCopyButton(copied: string, { text }: Texts, about?: string): Html {
  return html`<button type="button" class="quiet" hidden${about !== undefined && html` aria-describedby="${about}"`} data-copy="${copied}" data-copied="${text("pages.copy.done")}" data-failed="${text("pages.copy.failed")}">${text("pages.copy.action")}</button>`;
}

/** Lines to be copied by hand, or with one click where scripts run. They can be scrolled with the keyboard. */
export function renderCopyable(lines: string, texts: Texts, about: string): Html {
  return html`<div class="copyable"><pre tabindex="0" aria-describedby="${about}"><code>${lines}</code></pre>${renderCopyButton(lines, texts, about)}</div>`;
}

/** Maximum people to name. */
export const peopleToAsk = 5;

/** People to ask, with their addresses; without any, what to do instead. */
export function renderPeopleToAsk(
  people: readonly AssignedPerson[],
  words: {
    readonly ask: string;
    readonly nobody: string;
    /** For what can be asked for on the account page. */
    readonly askHere?: string;
  },
): Html {
  const link =
    words.askHere !== undefined &&
    html`<p class="buttons"><a class="button" href="${paths.access}">${words.askHere}</a></p>`;
  if (people.length === 0) return html`<p>${words.nobody}</p>${link}`;
  const items = people.map(({ email, name }) => {
    const address = html`<a href="mailto:${email}">${email}</a>`;
    return name === null ? html`<li>${address}</li>` : html`<li><span>${name}</span> ${address}</li>`;
  });
  return html`<p>${words.ask}</p><ul class="places">${items}</ul>${link}`;
}
