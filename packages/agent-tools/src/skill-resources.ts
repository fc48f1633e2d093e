import { createHash } from "node:crypto";
import { isSkillPath } from "@authz/skills";
import type { AgentCalls } from "./agent-calls.js";
import { quoted } from "@authz/skills/invisible";
import { textOf } from "./read-skill.js";
import { noticeName, noticeFor, type Notice } from "./skill-notice.js";
import type { Skill, SkillSummary } from "./skill-list.js";
import { skillDescription, skillFrontMatter, skillMarkdown, skillName } from "./skill-markdown.js";

const manifest = "SKILL.md";
const markdown = "text/markdown";
/** Each entry of a page is read for its digest. */
const pageSize = 20;
const atOnce = 5;
/** A host that reads the list of resources gets all of it in one answer. */
const mostResources = 200;
const address = /^skill:\/\/([^/]+)\/([^/]+)\/([^?#]+)$/;

/** A skill as the extension describes it. */
interface SkillEntry {
  [member: string]: unknown;
  uri: string;
  frontmatter: { [member: string]: unknown; name: string; description: string };
  resources: { uri: string; digest: string; size: number }[];
}

/** A resource in a list. */
interface ListedResource {
  [member: string]: unknown;
  uri: string;
  name: string;
  description?: string;
  mimeType: string;
}

/** Text, or bytes of anything else (Base64). */
type ResourceContents = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/**
 * The skills of one person as the Skills extension of the Model Context Protocol has them: `skill://{id}/{name}/SKILL.md` and what is beside it.
 * The list has those that the person may use now; what else they can see can be asked for by its address. In front of them, when there is
 * something to say, is a text of our own: what the administrators tell every agent, and whose skills may be missing or old.
 */
export class SkillResources {
  readonly #calls: AgentCalls;

  constructor(calls: AgentCalls) {
    this.#calls = calls;
  }

  /** One page of what the person may use. The cursor is the last id of the page before. */
  async list(cursor: string | undefined): Promise<{ skills: SkillEntry[]; nextCursor?: string }> {
    const list = await this.#calls.skills();
    const ids = usable(list.items).map(({ id }) => id);
    const rest = cursor === undefined ? ids : ids.filter((id) => id > cursor);
    const some = rest.slice(0, pageSize);
    const skills = await inOrder(some, async (id) => this.#entryOf(await this.#calls.skill(id)));
    const notice = cursor === undefined ? noticeFor(list) : undefined;
    const last = some.at(-1);
    return {
      skills: [...(notice === undefined ? [] : [noticeEntry(notice)]), ...skills],
      ...(rest.length > pageSize && last !== undefined && { nextCursor: last }),
    };
  }

  /** The entry of the `SKILL.md` at an address, listed or not; undefined when it is the address of none. */
  async get(uri: string): Promise<SkillEntry | undefined> {
    const place = placeOf(uri);
    if (place?.path !== manifest) return undefined;
    if (place.id !== noticeName) return this.#entryOf(await this.#calls.skill(place.id));
    const notice = noticeFor(await this.#calls.skills());
    return notice && noticeEntry(notice);
  }

  /** What is at an address; undefined when it is the address of nothing. */
  async read(uri: string): Promise<ResourceContents | undefined> {
    const place = placeOf(uri);
    if (place === undefined) return undefined;
    const { id, path } = place;
    if (id === noticeName) {
      const notice = path === manifest ? noticeFor(await this.#calls.skills()) : undefined;
      return notice && { uri, mimeType: markdown, text: notice.text };
    }
    if (path === manifest) {
      const skill = await this.#calls.skill(id);
      return { uri, mimeType: markdown, text: skillMarkdown(skill, this.#calls.issuer) };
    }
    const bytes = await this.#calls.skillFile(id, path);
    const text = textOf(bytes);
    return text === undefined
      ? { uri, mimeType: "application/octet-stream", blob: Buffer.from(bytes).toString("base64") }
      : { uri, mimeType: path.endsWith(".md") ? markdown : "text/plain", text };
  }

  /** For a host that knows resources and no skills: the texts that `list` has. */
  async listResources(): Promise<ListedResource[]> {
    const list = await this.#calls.skills();
    const notice = noticeFor(list);
    const skills = usable(list.items).map((skill) => ({
      uri: uriOf(skill.id, manifest),
      name: skillName(skill.id),
      title: quoted(skill.title),
      description: skillDescription(skill),
      mimeType: markdown,
    }));
    return [...(notice === undefined ? [] : [noticeResource(notice)]), ...skills.slice(0, mostResources)];
  }

  #entryOf(skill: Skill): SkillEntry {
    const { issuer } = this.#calls;
    const uri = uriOf(skill.id, manifest);
    const files = (skill.files ?? []).filter(({ path }) => isSkillPath(path));
    return {
      uri,
      frontmatter: { ...skillFrontMatter(skill, issuer) },
      resources: [
        factsOf(uri, skillMarkdown(skill, issuer)),
        ...files.map(({ path, size, digest }) => ({ uri: uriOf(skill.id, path), size, digest })),
      ],
    };
  }
}

/** What the person may use, in an order that stays while the list changes. */
function usable(items: readonly SkillSummary[]): readonly SkillSummary[] {
  return items.filter(({ allowed }) => allowed).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function noticeEntry({ frontMatter, text }: Notice): SkillEntry {
  const uri = uriOf(noticeName, manifest);
  return { uri, frontmatter: { ...frontMatter }, resources: [factsOf(uri, text)] };
}

function noticeResource({ frontMatter: { name, description } }: Notice): ListedResource {
  return { uri: uriOf(noticeName, manifest), name, description, mimeType: markdown };
}

function factsOf(uri: string, text: string): { uri: string; digest: string; size: number } {
  const bytes = Buffer.from(text);
  return { uri, digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`, size: bytes.length };
}

function nameOf(id: string): string {
  return id === noticeName ? noticeName : skillName(id);
}

/** Ids and paths have no character that an address writes otherwise. */
function uriOf(id: string, path: string): string {
  return `skill://${id}/${nameOf(id)}/${path}`;
}

function placeOf(uri: string): { id: string; path: string } | undefined {
  const [, id = "", name = "", path = ""] = address.exec(uri) ?? [];
  const isPlace = nameOf(id) === name && (path === manifest || isSkillPath(path));
  return id !== "" && isPlace ? { id, path } : undefined;
}

/** A few at once. */
async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  return results;
}
