import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
var s="lbbench",t="0.1.0";var a={name:s,version:t};async function d(){return{lbbench:await import("./part-6ZL6XWAG.js")}}export{a,d as b};
