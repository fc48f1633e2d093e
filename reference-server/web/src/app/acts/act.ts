/** An act chosen in the palette; a dialog shows its impact and asks for confirmation. */
export type Act =
  | { readonly kind: "disable" | "enable" | "signOut"; readonly user: string }
  | { readonly kind: "give"; readonly email: string; readonly scopes: readonly string[] }
  | { readonly kind: "rotate" };
