import { renderSkillMarkdown, type Skill, skillDigest } from "@authz/skills";
import { jsonDocument, type PublicDocument } from "./documents.js";
import { paths } from "./metadata.js";

/** A public document and where it is mounted. */
export interface PlacedDocument {
  readonly path: string;
  readonly document: PublicDocument;
}

/**
 * The public part of the catalog in the form that agents look for, and the files it points to.
 *
 * Skills that are hidden from anybody stay out, whatever scopes they need.
 *
 * @see {@link https://github.com/cloudflare/agent-skills-discovery-rfc | Agent Skills Discovery 0.2.0}
 */
export function agentSkillsDocuments(skills: readonly Skill[]): readonly PlacedDocument[] {
  const files = skills.filter(({ visibility }) => visibility === "DEFAULT").map(renderFile);
  const index = {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: files.map(({ skill, path, document }) => ({
      name: skill.id,
      type: "skill-md",
      description: skill.description ?? skill.title,
      url: path,
      digest: skillDigest(document.body),
    })),
  };
  return [
    { path: `${paths.agentSkills}/index.json`, document: jsonDocument(index) },
    ...files.map(({ path, document }) => ({ path, document })),
  ];
}

function renderFile(skill: Skill): PlacedDocument & { readonly skill: Skill } {
  return {
    skill,
    path: `${paths.agentSkills}/${skill.id}/SKILL.md`,
    document: { contentType: "text/markdown; charset=utf-8", body: renderSkillMarkdown(skill) },
  };
}
