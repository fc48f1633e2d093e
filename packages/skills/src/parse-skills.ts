import { z } from "zod";
import type { Skill } from "./skill.js";
import { SkillError } from "./skill-error.js";

const maximumItems = 100;
const maximumBytes = 1024 * 1024;

// Tab, line feed and carriage return are text; every other control character is not.
const noControls = /^[\t\n\r\P{Cc}]*$/u;
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;

const line = (maximum: number) =>
  z.string().trim().min(1).max(maximum).regex(oneLine, "must be one line without control characters");

const scope = z
  .string()
  .max(256)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'must be one scope, such as "contracts:read"');

const skillSchema = z.strictObject({
  id: z
    .string()
    .max(100)
    .regex(/^[a-z0-9][a-z0-9-]*$/, "must start with a-z or 0-9 and contain only a-z, 0-9 and hyphens"),
  title: line(200),
  requiredScopes: z.array(scope).max(100),
  visibility: z.enum(["DEFAULT", "HIDDEN_IF_UNALLOWED"]),
  content: z.string().min(1).regex(noControls, "must not contain control characters"),
  description: line(1024).exactOptional(),
  tags: z.array(line(50)).max(20).exactOptional(),
});

const catalogSchema = z.array(skillSchema).max(maximumItems);

/**
 * Turns a list from anywhere into skills, frozen. A list with one bad item is refused as a whole.
 *
 * At most 100 items and 1 MiB of JSON.
 *
 * @throws {SkillError} `path` says where, the message says what is wrong.
 */
export function parseSkills(value: unknown): readonly Skill[] {
  const parsed = catalogSchema.safeParse(value);
  if (!parsed.success) throw firstProblem(parsed.error);
  checkUniqueIds(parsed.data);
  checkSize(parsed.data);
  return Object.freeze(parsed.data.map(freezeSkill));
}

function firstProblem(error: z.ZodError): SkillError {
  const issue = error.issues[0];
  return new SkillError(formatPath(issue?.path ?? []), issue?.message ?? "The catalog is not valid.");
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
}

function checkUniqueIds(skills: readonly Skill[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of skills.entries()) {
    if (seen.has(id))
      throw new SkillError(`[${index}].id`, `"${id}" is used twice. Give each skill its own id.`);
    seen.add(id);
  }
}

function checkSize(skills: readonly Skill[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(skills));
  if (bytes > maximumBytes) {
    throw new SkillError("", `The catalog is ${bytes} bytes of JSON; at most ${maximumBytes} are allowed.`);
  }
}

function freezeSkill({ requiredScopes, tags, ...rest }: Skill): Skill {
  return Object.freeze({
    ...rest,
    requiredScopes: Object.freeze([...new Set(requiredScopes)]),
    ...(tags !== undefined && { tags: Object.freeze([...new Set(tags)]) }),
  });
}
