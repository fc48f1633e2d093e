declare module "hono-4-0" {
  export { Hono } from "hono";
}
