import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

/** The skills of a person, by who publishes them. */
export interface SkillsSection {
  readonly publishers: readonly {
    readonly name: string;
    readonly skills: readonly {
      readonly title: string;
      readonly href: string;
      readonly description: string | undefined;
      /** Scopes that it asks for and the person does not have. */
      readonly lacks: readonly string[];
    }[];
  }[];
  /** Skills that are not listed any more. */
  readonly moreSkills: number;
}

export function renderSkills({ publishers, moreSkills }: SkillsSection, { texts }: Frame): Html {
  const { text, parts } = texts;
  if (publishers.length === 0) return html`<p class="empty">${text("pages.home.noSkills")}</p>`;
  const groups = publishers.map(
    ({ name, skills }) => html`<h3>${name}</h3>
<ul class="skills">
${skills.map(
  ({ title, href, description, lacks }) =>
    html`<li><a href="${href}">${title}</a>${description !== undefined && html`<span class="muted">${description}</span>`}${lacks.length > 0 && html`<span class="muted">${parts("pages.home.lacks", { scopes: renderScopeKeys(lacks) })}</span>`}</li>\n`,
)}</ul>\n`,
  );
  return html`<p class="muted">${text("pages.home.skillsLead")}</p>
${groups}${moreSkills > 0 && html`<p class="hint">${parts("pages.home.moreSkills", { count: moreSkills, command: html`<code>authz skills</code>` })}</p>`}`;
}

/** Scopes in a sentence. */
export function renderScopeKeys(scopes: readonly string[]): Html {
  return html`${scopes.map((scope, index) => html`${index > 0 && ", "}<code>${scope}</code>`)}`;
}
