import { describeAdapter } from "@authz/contract-tests";
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
