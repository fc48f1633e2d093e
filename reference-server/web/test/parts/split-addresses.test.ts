import { expect, test } from "vitest";
import { splitAddresses } from "../../src/parts/split-addresses";

test.each([
  { pasted: ["Ada@Acme.example"], addresses: ["ada@acme.example"] },
  {
    pasted: ["a@x.example, b@x.example;c@x.example\n"],
    addresses: ["a@x.example", "b@x.example", "c@x.example"],
  },
  { pasted: ["<a@x.example>", "a@x.example"], addresses: ["a@x.example"] },
  { pasted: ["  ,; "], addresses: [] },
])("$pasted is split into $addresses", ({ pasted, addresses }) => {
  expect(splitAddresses(pasted)).toEqual(addresses);
});
