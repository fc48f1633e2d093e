import type palette from "@locales/en/console/palette.json";
import type parts from "@locales/en/console/parts.json";
import type shell from "@locales/en/console/shell.json";
import type { AreaCatalogs } from "@text/area-catalogs";
import type { Path } from "@text/message-key";

/** Catalogues outside the areas. */
interface Frame {
  readonly palette: typeof palette;
  readonly parts: typeof parts;
  readonly shell: typeof shell;
}

/** A catalogue, loaded as a whole: one of these, or the messages that all areas have under one name. */
export type CatalogueName = keyof Frame | keyof AreaCatalogs;

/** The path of a message: `scopes.empty.title`. A path missing in English does not compile. */
export type TextKey = Path<Frame> | AreaKey;

/** Each area has its name in the navigation. */
export type AreaId = TextKey extends infer Key ? (Key extends `shell.areas.${infer Id}` ? Id : never) : never;

type AreaKey = { [Area in keyof AreaCatalogs]: Path<AreaCatalogs[Area]["console"]> }[keyof AreaCatalogs];
