import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import "./style.css";
import VersionMenu from "./version-menu.js";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "nav-bar-content-after": () => h(VersionMenu) }),
};
