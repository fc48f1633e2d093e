/** Where a skill file came from. */
export interface SkillOrigin {
  id: string;
  /** The authorization server; undefined in files that do not say. */
  source: string | undefined;
}

/** Reads from the front matter where a file came from; undefined when it is none of ours. */
export function readOrigin(text: string): SkillOrigin | undefined {
  const front = /^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? "";
  const id = member(front, "id");
  return id === undefined ? undefined : { id, source: member(front, "source") };
}

function member(front: string, name: string): string | undefined {
  const written = new RegExp(`^ {2}${name}: (".*")$`, "m").exec(front)?.[1];
  try {
    return written === undefined ? undefined : String(JSON.parse(written));
  } catch {
    return undefined;
  }
}
