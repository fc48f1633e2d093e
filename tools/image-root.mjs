await import("./dist/image-root/main.js");
