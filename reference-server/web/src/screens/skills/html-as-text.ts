/** The parts of a Markdown syntax tree that matter here. */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  children?: MarkdownNode[];
}

/** Nodes that contain paragraphs; all others contain text. */
const containers = new Set(["root", "blockquote", "listItem"]);

/** A remark plugin that shows HTML tags as text, because an administrator has to see the whole content. */
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
