/** As much of a Markdown syntax tree as matters here. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  children?: MarkdownNode[];
}

/** What has paragraphs in it; everything else has text. */
const containers = new Set(["root", "blockquote", "listItem"]);

/** A remark plugin that shows tags as they were written: an administrator has to see everything that is in a text. */
export function htmlAsText(): (tree: MarkdownNode) => void {
  return showTags;
}

function showTags(parent: MarkdownNode): void {
  if (parent.children === undefined) return;
  parent.children = parent.children.map((node) => {
    if (node.type !== "html") {
      showTags(node);
      return node;
    }
    const text: MarkdownNode = { type: "text", value: node.value ?? "" };
    return containers.has(parent.type) ? { type: "paragraph", children: [text] } : text;
  });
}
