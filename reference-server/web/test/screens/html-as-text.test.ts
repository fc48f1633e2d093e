import { expect, test } from "vitest";
import { htmlAsText, type MarkdownNode } from "../../src/screens/skills/html-as-text.js";

function show(tree: MarkdownNode): MarkdownNode {
  htmlAsText()(tree);
  return tree;
}

const tag: MarkdownNode = { type: "html", value: "<script>alert(1)</script>" };
const text: MarkdownNode = { type: "text", value: "<script>alert(1)</script>" };

test.each(["root", "blockquote", "listItem"])("a tag in %s becomes a paragraph", (type) => {
  expect(show({ type, children: [tag] })).toEqual({
    type,
    children: [{ type: "paragraph", children: [text] }],
  });
});

test.each(["paragraph", "heading", "emphasis", "link", "tableCell"])("a tag in %s becomes text", (type) => {
  const tree = show({ type: "root", children: [{ type, children: [tag, { type: "text", value: " and" }] }] });
  expect(tree.children?.[0]?.children).toEqual([text, { type: "text", value: " and" }]);
});
