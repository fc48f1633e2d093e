import { defineComponent, h, onMounted, ref } from "vue";

/**
 * Which version these pages describe, and the way to others. The list is one file at the root of the host, so that pages
 * that were built years ago know of versions that came later. Without the file there is nothing to choose.
 */
export default defineComponent({
  setup() {
    const current = __DOCS_VERSION__;
    const versions = ref([]);
    onMounted(async () => {
      const answer = await fetch("/versions.json").catch(() => undefined);
      if (answer?.ok === true) versions.value = await answer.json().catch(() => []);
    });
    const open = ({ target }) => {
      window.location.href = target.value;
    };
    return () => {
      if (versions.value.length < 2) return h("span", { class: "version" }, current);
      const choices = versions.value.map(({ version, path }) =>
        h("option", { value: path, selected: version === current }, version),
      );
      return h("select", { class: "version", "aria-label": "Version", onChange: open }, choices);
    };
  },
});
