import { expect, test } from "vitest";
import { areas } from "../../src/app/areas";

test.each([
  { what: "place in the navigation", of: areas.map(({ group, position }) => `${group} ${position}`) },
  { what: "id", of: areas.map(({ id }) => id) },
  { what: "path", of: areas.map(({ path }) => path) },
  { what: "letter", of: areas.flatMap(({ shortcut = [] }) => shortcut) },
])("no two areas have the same $what", ({ of }) => {
  expect(of.filter((one, at) => of.indexOf(one) !== at)).toEqual([]);
});

test("the console begins with the overview", () => {
  expect(areas.map(({ id }) => id)[0]).toBe("overview");
});
