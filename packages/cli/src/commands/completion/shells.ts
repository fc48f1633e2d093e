/** The shells that `authz completion` knows. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish", "powershell"];
