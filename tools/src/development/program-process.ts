export { type ProgramProcess, startProgram } from "@authz/dev/parts";
