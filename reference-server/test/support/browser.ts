/** The browser of all these tests, the same one that the demonstration uses. */
export { Browser, type FilledForm, type Form, readForm, type Visit } from "authz-tools/scriptless-browser";
