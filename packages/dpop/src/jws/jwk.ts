/** A public P-256 key as a JSON Web Key. */
export interface PublicJwk {
  kty: "EC";
  crv: "P-256";
  /** 32 bytes, base64url. */
  x: string;
  /** 32 bytes, base64url. */
  y: string;
}

/** A private P-256 key as a JSON Web Key. Keep it secret. */
export interface PrivateJwk extends PublicJwk {
  /** 32 bytes, base64url. */
  d: string;
}
