import type { GroupProvider, GroupProviderPatch, NewGroupProvider } from "@admin/groups";

/** A group provider as a form has it; the secret is what somebody typed, never what is stored. */
export interface GroupProviderValues {
  readonly type: GroupProvider["type"];
  readonly key: string;
  readonly name: string;
  readonly provider: string;
  readonly url: string;
  readonly secret: string;
  readonly enabled: boolean;
}

export const emptyGroupProvider: GroupProviderValues = {
  type: "claim",
  key: "",
  name: "",
  provider: "",
  url: "",
  secret: "",
  enabled: true,
};

export function toGroupProviderValues(groupProvider: GroupProvider): GroupProviderValues {
  const { type, key, name, provider, url, enabled } = groupProvider;
  return { type, key, name, provider: provider ?? "", url: url ?? "", secret: "", enabled };
}

export function toNewGroupProvider(values: GroupProviderValues): NewGroupProvider {
  const { type, key, name, provider, secret, enabled } = values;
  if (type !== "directory") return { type, key, name, provider, enabled };
  return { type, key, name, url: values.url.trim(), secret, enabled };
}

/** An empty secret is left out: the stored one stays. */
export function toGroupProviderPatch({
  type,
  name,
  url,
  secret,
  enabled,
}: GroupProviderValues): GroupProviderPatch {
  if (type !== "directory") return { name, enabled };
  return { name, enabled, url: url.trim(), ...(secret !== "" && { secret }) };
}
