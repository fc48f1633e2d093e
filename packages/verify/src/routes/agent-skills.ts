import type { Clock } from "@authz/dpop";
import { fileBytes, renderSkillMarkdown, type Skill, type SkillFile, skillDigest } from "@authz/skills";
import type { AuthzResponse, AuthzRoute } from "../messages.js";
import type { SkillSource } from "../options/skills.js";
import { findPath } from "../request/target.js";
import { type ArchivedFile, packArchive } from "./archive.js";
import { answerDocument, jsonDocument, type PublicDocument } from "./documents.js";
import { paths } from "./metadata.js";

/** Minimum interval between loads, because these documents are public. */
const reloadMilliseconds = 30_000;

type Documents = ReadonlyMap<string, PublicDocument>;

/**
 * The routes of the public skills as agents discover them: an index, and per skill its `SKILL.md`, or an archive if it has more
 * files.
 *
 * Hidden skills are never included.
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
    { method: "GET", path: archivePath(":name"), handle },
  ];
}

/** Loads and renders at most once per 30 seconds; requests in between share the result, also while it is loading. */
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
  const published = skills.filter(({ visibility }) => visibility === "DEFAULT");
  const files = published.map((skill) => ({ path: filePath(skill.id), document: fileDocument(skill) }));
  const artifacts = published.map((skill) =>
    skill.files === undefined || skill.files.length === 0
      ? { skill, type: "skill-md", path: filePath(skill.id), document: fileDocument(skill) }
      : {
          skill,
          type: "archive",
          path: archivePath(skill.id),
          document: archiveDocument(skill, skill.files),
        },
  );
  const index = {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: artifacts.map(({ skill, type, path, document }) => ({
      name: skill.id,
      type,
      description: skill.description ?? skill.title,
      url: path,
      digest: skillDigest(document.body),
    })),
  };
  return new Map([
    [indexPath, jsonDocument(index)],
    ...[...files, ...artifacts].map(({ path, document }) => [path, document] as const),
  ]);
}

const indexPath: string = `${paths.agentSkills}/index.json`;

function filePath(name: string): string {
  return `${paths.agentSkills}/${name}/SKILL.md`;
}

function archivePath(name: string): string {
  return `${paths.agentSkills}/${name}/skill.tar.gz`;
}

function fileDocument(skill: Skill): PublicDocument {
  return { contentType: "text/markdown; charset=utf-8", body: renderSkillMarkdown(skill) };
}

function archiveDocument(skill: Skill, files: readonly SkillFile[]): PublicDocument {
  const all: readonly ArchivedFile[] = [
    { path: "SKILL.md", bytes: Buffer.from(renderSkillMarkdown(skill)) },
    ...files.map((file) => ({ path: file.path, bytes: fileBytes(file) })),
  ];
  return { contentType: "application/gzip", body: packArchive(all) };
}

const notFound: AuthzResponse = Object.freeze({
  status: 404,
  headers: Object.freeze({ "content-type": "application/json", "cache-control": "no-store" }),
  body: JSON.stringify({
    error: "not_found",
    error_description: "There is no public skill at this address.",
  }),
});
