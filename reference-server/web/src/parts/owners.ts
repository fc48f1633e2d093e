/** Who decides for a service or connector, as the API has it. */
export interface Owner {
  readonly email?: string | null | undefined;
  readonly group?: { readonly provider: string; readonly key: string } | null | undefined;
}

/** An owner as a line of a form: an address, or a group with the key of its provider. */
export function toOwnerLine({ email, group }: Owner): string {
  return email ?? (group ? `${group.provider}:${group.key}` : "");
}

/** The owners that lines of a form name. No address has a colon, and no key of a provider either. */
export function fromOwnerLines(
  lines: readonly string[],
): ({ email: string } | { group: { provider: string; key: string } })[] {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(":");
      if (colon === -1) return { email: line };
      return { group: { provider: line.slice(0, colon), key: line.slice(colon + 1) } };
    });
}
