import presetFile from "@locales/provider-presets.json";

export type PresetKey = keyof typeof presetFile;

interface Preset {
  readonly name?: string;
  readonly issuer: string;
  readonly documentation?: string;
}

/** Kinds of OpenID providers, and what is the same for all of their customers: as in the installer. */
export const presets: Readonly<Record<PresetKey, Preset>> = presetFile;

export const presetKeys = Object.keys(presets) as PresetKey[];

interface Named {
  readonly key: string;
  readonly name: string;
  readonly issuer: string;
}

/** What choosing a kind fills in: fields that are empty or still say what the kind before filled in. */
export function fillIn(values: Named, from: PresetKey, to: PresetKey): Named {
  const chosen = presets[to];
  const before = presets[from];
  const isUntouched = (text: string, filled: string) => text === "" || text === filled;
  return {
    key: isUntouched(values.key, keyOf(from)) ? keyOf(to) : values.key,
    name: isUntouched(values.name, before.name ?? "") ? (chosen.name ?? "") : values.name,
    issuer: isUntouched(values.issuer, before.issuer) ? chosen.issuer : values.issuer,
  };
}

function keyOf(preset: PresetKey): string {
  return preset === "other" ? "" : preset;
}
