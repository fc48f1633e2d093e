import { readDocument, sitePath, titleOf } from "./pages.mjs";

/** VitePress's sidebar: the same everywhere, with the group of the open page unfolded. */
export function sidebarOf(navigation) {
  return navigation.map(({ text, groups }) => ({
    text,
    items: groups
      .map((group) =>
        group.text === undefined
          ? group.pages.map(entry)
          : { text: group.text, collapsed: true, items: group.pages.map(entry) },
      )
      .flat(),
  }));
}

function entry(page) {
  const [document, text = titleOf(readDocument(document))] = typeof page === "string" ? [page] : page;
  return { text, link: linkOf(document) };
}

/** The address of a document's page, as VitePress takes it. */
export function linkOf(document) {
  return `/${sitePath(document).replace(/(?:index)?\.md$/, "")}`;
}
