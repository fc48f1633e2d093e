/** What a fragment in a package's README may take for granted, besides its own `server.ts`. */
export const preludes: Readonly<Record<string, string>> = {
  express: `
import type { ExpressAuthz } from "@authz/express";
import express from "express";
declare const authz: ExpressAuthz;
const app = express();
`,
  koa: `
import type { KoaAuthz } from "@authz/koa";
import { Router } from "@koa/router";
import Koa from "koa";
declare const authz: KoaAuthz;
const app = new Koa();
const router = new Router();
`,
  fastify: `
import type { FastifyAuthz } from "@authz/fastify";
import Fastify from "fastify";
declare const authz: FastifyAuthz;
const app = Fastify();
`,
};
