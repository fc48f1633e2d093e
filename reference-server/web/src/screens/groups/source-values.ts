import type { GroupProvider, GroupProviderPatch, NewGroupProvider } from "@admin/groups";

/** A group source as a form has it; the secret is what somebody typed, never what is stored. */
export interface SourceValues {
  readonly type: GroupProvider["type"];
  readonly key: string;
  readonly name: string;
  readonly provider: string;
  readonly url: string;
  readonly secret: string;
  readonly enabled: boolean;
}

export const emptySource: SourceValues = {
  type: "claim",
  key: "",
  name: "",
  provider: "",
  url: "",
  secret: "",
  enabled: true,
};

export function toSourceValues(source: GroupProvider): SourceValues {
  const { type, key, name, provider, url, enabled } = source;
  return { type, key, name, provider: provider ?? "", url: url ?? "", secret: "", enabled };
}

export function toNewSource(values: SourceValues): NewGroupProvider {
  const { type, key, name, provider, secret, enabled } = values;
  if (type === "claim") return { type, key, name, provider, enabled };
  return { type, key, name, url: values.url.trim(), secret, enabled };
}

/** An empty secret is left out: the stored one stays. */
export function toSourcePatch({ type, name, url, secret, enabled }: SourceValues): GroupProviderPatch {
  if (type === "claim") return { name, enabled };
  return { name, enabled, url: url.trim(), ...(secret !== "" && { secret }) };
}
