/** What somebody has chosen in the palette; a dialog shows what it would change, and asks. */
export type Act =
  | { readonly kind: "disable" | "enable" | "signOut"; readonly user: string }
  | { readonly kind: "give"; readonly email: string; readonly scopes: readonly string[] }
  | { readonly kind: "rotate" };
