import { renderMoment } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

/** The skills of a person, by who publishes them. */
export interface SkillsSection {
  /** The administrators' instructions for every agent. */
  readonly instructions: string | undefined;
  /** Whose skills may be missing or old. */
  readonly gaps: readonly {
    readonly publisher: string;
    readonly state: "pending" | "failed" | "refused" | "stale" | "undecided";
    /** Of the copy that is shown; `undefined` when there is none. */
    readonly fetchedAt: Date | undefined;
  }[];
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

export function renderSkills(section: SkillsSection, frame: Frame): Html {
  return html`${renderInstructions(section, frame)}${renderGaps(section, frame)}${renderPublished(section, frame)}`;
}

function renderInstructions({ instructions }: SkillsSection, { texts, installationName }: Frame): Html {
  if (instructions === undefined) return html``;
  const lead = texts.text("pages.home.instructions", { installation: installationName ?? "Authz" });
  return html`<h3>${lead}</h3>
${instructions
  .split(/\r?\n/)
  .filter((line) => line.trim() !== "")
  .map((line) => html`<p>${line}</p>\n`)}`;
}

function renderGaps({ gaps }: SkillsSection, { texts }: Frame): Html {
  return html`${gaps.map(({ publisher, state, fetchedAt }) => {
    const since = fetchedAt === undefined ? "" : renderMoment(fetchedAt, texts);
    return html`<p class="notice">${texts.text(`pages.home.skillGaps.${state}`, { publisher, since })}</p>\n`;
  })}`;
}

function renderPublished({ publishers, moreSkills, gaps }: SkillsSection, { texts }: Frame): Html {
  const { text, parts } = texts;
  // Beside a notice that some may be missing, "none" would be a guess.
  if (publishers.length === 0)
    return html`${gaps.length === 0 && html`<p class="empty">${text("pages.home.noSkills")}</p>`}`;
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
