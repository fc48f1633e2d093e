import { createContext } from "react";
import type { Parameters } from "./match-path";

/** The values in the path of the screen: `{ key: "contracts:read" }` on `/scopes/$key`. */
export const ParametersOfScreen = createContext<Parameters>({});
