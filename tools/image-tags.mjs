await import("./dist/image-tags/main.js");
