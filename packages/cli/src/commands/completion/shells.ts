/** The shells that `authz completion` knows. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish", "powershell"];

/** Values that only this computer or the server knows. */
export type ValueKind = "skills" | "profiles" | "connections";

export const VALUE_KINDS: readonly ValueKind[] = ["skills", "profiles", "connections"];
