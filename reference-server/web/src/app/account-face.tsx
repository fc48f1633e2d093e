import type { Session } from "@admin/session";

export function accountName({ name, email }: Session["user"]): string {
  return name ?? email ?? "?";
}

/** The initials in a circle. */
export function Face({ name }: { readonly name: string }) {
  return <span className="face" aria-hidden="true" data-initials={initials(name)} />;
}

function initials(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean);
  return `${words[0]?.[0] ?? ""}${words.length > 1 && !name.includes("@") ? (words.at(-1)?.[0] ?? "") : ""}`.toUpperCase();
}
