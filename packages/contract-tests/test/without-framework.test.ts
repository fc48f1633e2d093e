import { describeAdapter, describeHttp2 } from "@authz/contract-tests";
import { startFetch } from "./without-framework/fetch-service.js";
import { startNode, startNodeHttp2 } from "./without-framework/node-service.js";

describeAdapter("plain node:http", startNode);
describeHttp2("plain node:http2", startNodeHttp2);
// A Fetch body can be read once, so it is left to the handler, which runs behind the guard.
describeAdapter("Fetch handlers", startFetch, { seesForms: false });
