import type { AgentCalls } from "./agent-calls.js";
import { cleanText } from "@authz/skills/invisible";
import { pagePart } from "./answer-page.js";
import { framedText } from "./frame.js";

/** What a model wants to read: a skill, or a file of it, from a place in it. */
export interface ReadSkillRequest {
  id: string;
  file: string | undefined;
  /** In characters. */
  offset: number;
}

/** The text of a skill and which files it has, or the text of one file: in a frame, and a page of it when it is long. */
export async function readSkill(calls: AgentCalls, { id, file, offset }: ReadSkillRequest): Promise<string> {
  const skill = await calls.skill(id);
  if (skill.allowed) calls.getReady?.(skill);
  if (file === undefined) {
    const { content, files = [] } = skill;
    const listed = files.map(({ path, size }) => `${path} (${String(size)} bytes)`).join(", ");
    const text = listed === "" ? content : `${content.trimEnd()}\n\nFiles: ${listed}`;
    return page(`"${skill.resource}" published`, text, offset);
  }
  const bytes = await calls.skillFile(id, file);
  const text = textOf(bytes);
  return text === undefined
    ? `This file has ${String(bytes.length)} bytes and is not text. It is a resource of this server, too.`
    : page(`"${skill.resource}" published as a file of ${skill.id}`, text, offset);
}

function page(what: string, text: string, offset: number): string {
  const part = pagePart(text, offset, cleanText);
  const end = offset + part.length;
  const framed = framedText(what, part);
  if (offset === 0 && end === text.length) return framed;
  const rest = end < text.length ? ` For the rest, call again with "offset": ${String(end)}.` : "";
  return `${framed}Characters ${String(offset)} to ${String(end)} of ${String(text.length)}.${rest}\n`;
}

/** The text of bytes; undefined when they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
