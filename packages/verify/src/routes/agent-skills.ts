import type { Clock } from "@authz/dpop";
import { renderSkillMarkdown, type Skill, skillDigest } from "@authz/skills";
import type { AuthzResponse, AuthzRoute } from "../messages.js";
import type { SkillSource } from "../options/skills.js";
import { findPath } from "../request/target.js";
import { answerDocument, jsonDocument, type PublicDocument } from "./documents.js";
import { paths } from "./metadata.js";

/** Anybody may ask for these documents, so asking often must not mean loading often. */
const reloadMilliseconds = 30_000;

type Documents = ReadonlyMap<string, PublicDocument>;

/**
 * The routes of the public part of the catalog in the form that agents look for: an index, and a file per skill.
 *
 * Hidden skills stay out, whatever scopes they need.
 *
 * @see {@link https://github.com/cloudflare/agent-skills-discovery-rfc | Agent Skills Discovery 0.2.0}
 */
export function agentSkillsRoutes(load: SkillSource["load"], clock: Clock): readonly AuthzRoute[] {
  const documents = cacheDocuments(load, clock);
  const handle: AuthzRoute["handle"] = async (request) => {
    const document = (await documents()).get(findPath(request.url) ?? "");
    return document === undefined ? notFound : answerDocument(document, request);
  };
  return [
    { method: "GET", path: indexPath, handle },
    { method: "GET", path: filePath(":name"), handle },
  ];
}

/** Renders what is loaded once per 30 seconds at most; requests in between share it, also while it is loading. */
function cacheDocuments(load: SkillSource["load"], clock: Clock): () => Promise<Documents> {
  let loadedAt = Number.NEGATIVE_INFINITY;
  let documents: Promise<Documents> | undefined;
  return () => {
    if (documents === undefined || clock() - loadedAt >= reloadMilliseconds) {
      loadedAt = clock();
      const loading = load().then(renderDocuments);
      documents = loading;
      void loading.catch(() => {
        if (documents === loading) documents = undefined;
      });
    }
    return documents;
  };
}

function renderDocuments(skills: readonly Skill[]): Documents {
  const files = skills
    .filter(({ visibility }) => visibility === "DEFAULT")
    .map((skill) => ({ skill, path: filePath(skill.id), document: fileDocument(skill) }));
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
  return new Map([
    [indexPath, jsonDocument(index)],
    ...files.map(({ path, document }) => [path, document] as const),
  ]);
}

const indexPath: string = `${paths.agentSkills}/index.json`;

function filePath(name: string): string {
  return `${paths.agentSkills}/${name}/SKILL.md`;
}

function fileDocument(skill: Skill): PublicDocument {
  return { contentType: "text/markdown; charset=utf-8", body: renderSkillMarkdown(skill) };
}

const notFound: AuthzResponse = Object.freeze({
  status: 404,
  headers: Object.freeze({ "content-type": "application/json", "cache-control": "no-store" }),
  body: JSON.stringify({
    error: "not_found",
    error_description: "There is no public skill at this address.",
  }),
});
