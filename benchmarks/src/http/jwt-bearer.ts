import { createRequire } from "node:module";
import type { RequestHandler } from "express";

interface JwtBearer {
  auth(options: {
    readonly issuer: string;
    readonly jwksUri: string;
    readonly audience: string;
    readonly tokenSigningAlg: "ES256";
    readonly dpop: { readonly enabled: boolean; readonly required: boolean };
  }): RequestHandler;
  requiredScopes(scopes: string): RequestHandler;
}

/**
 * express-oauth2-jwt-bearer, loaded without its types: they declare `req.auth` for every Express application of the
 * program, and so do ours.
 */
export const jwtBearer: JwtBearer = createRequire(import.meta.url)("express-oauth2-jwt-bearer") as JwtBearer;
