import type { AssignedPerson } from "../store/assignments.js";
import { paths } from "../protocol/vocabulary.js";
import { type Html, html } from "./html.js";

/** As many as somebody would ask. */
export const peopleToAsk = 5;

/** Whom somebody can ask, with their addresses; without anybody, what to do instead. */
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
