import { describeAdapter, describeHttp2 } from "@authz/contract-tests";
import { Hono } from "hono";
import { Hono as Hono40 } from "hono-4-0";
import { startHono } from "./contract-service.js";

describeAdapter("Hono 4.13", (contract) => startHono(Hono, contract));
describeAdapter("Hono 4.0", (contract) => startHono(Hono40, contract));
describeHttp2("Hono 4.13", (contract) => startHono(Hono, contract, { http2: true }));
