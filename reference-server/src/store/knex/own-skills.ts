import type { Skill } from "@authz/skills";
import type { OwnSkillStore } from "../own-skills.js";
import type { Database } from "./database.js";

interface SkillRow {
  id: string;
  title: string;
  description: string | null;
  tags: string[] | null;
  required_scopes: string[];
  visibility: Skill["visibility"];
  content: string;
}

export function createOwnSkillStore(database: Database): OwnSkillStore {
  const skills = () => database<SkillRow>("skills");

  return {
    async find(id) {
      const row = await skills().first().where({ id });
      return row && fromRow(row);
    },
    async list() {
      return (await skills().orderBy("id")).map(fromRow);
    },
    async count() {
      const row = await database("skills").count<{ count: string }[]>({ count: "*" }).first();
      return Number(row?.count ?? 0);
    },
    async save({ id, title, description, tags, requiredScopes, visibility, content }, at) {
      const row = {
        title,
        description: description ?? null,
        tags: tags === undefined ? null : [...tags],
        required_scopes: [...requiredScopes],
        visibility,
        content,
      };
      await database("skills")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("skills.version + 1") });
    },
    remove: async (id) => (await skills().where({ id }).delete()) > 0,
  };
}

function fromRow(row: SkillRow): Skill {
  const { id, title, description, tags, required_scopes: requiredScopes, visibility, content } = row;
  return {
    id,
    title,
    requiredScopes,
    visibility,
    content,
    ...(description !== null && { description }),
    ...(tags !== null && { tags }),
  };
}
