import { describeAdapter } from "@authz/contract-tests";
import { startNext } from "./contract-service.js";

// A Fetch body can be read once, so it is left to the handler, which runs behind the guard.
describeAdapter("Next.js route handlers", startNext, { seesForms: false });
