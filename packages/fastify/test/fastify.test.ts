import { describeAdapter, describeHttp2 } from "@authz/contract-tests";
import Fastify, { type FastifyInstance } from "fastify";
import { startFastify } from "./contract-service.js";

describeAdapter("Fastify 5, guarded by onRequest hooks", (contract) => startFastify("onRequest", contract), {
  seesForms: false,
});
describeAdapter(
  "Fastify 5, guarded by preHandler hooks",
  (contract) => startFastify("preHandler", contract),
  {
    guardsUnreadBodies: false,
  },
);
describeHttp2("Fastify 5", (contract) =>
  // What the application does with it is the same for both servers.
  startFastify("onRequest", contract, Fastify({ http2: true }) as unknown as FastifyInstance),
);
