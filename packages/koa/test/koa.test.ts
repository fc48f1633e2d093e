import { describeAdapter, describeHttp2 } from "@authz/contract-tests";
import Koa from "koa";
import Koa2 from "koa-2";
import { startKoa } from "./contract-service.js";

describeAdapter("Koa 3", (contract) => startKoa(Koa, contract));
describeAdapter("Koa 2.15", (contract) => startKoa(Koa2, contract));
describeHttp2("Koa 3", (contract) => startKoa(Koa, contract, { http2: true }));
