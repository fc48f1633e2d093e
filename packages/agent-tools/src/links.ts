/** A link of a `Link` header (RFC 8288): where it leads, and as what. */
export interface HeaderLink {
  target: string;
  /** Lower-case relation types, such as `next`. */
  relations: readonly string[];
}

/** The links of a `Link` header; several of them are joined by commas. */
export function parseLinks(header: string): readonly HeaderLink[] {
  return [...header.matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g)].map(([, target = "", parameters = ""]) => {
    const [, quoted, plain = ""] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? plain).toLowerCase().split(/\s+/);
    return { target, relations: relations.filter((relation) => relation !== "") };
  });
}
