import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function o({subtitle:e,whiskers:n}){return n===void 0?e:`${e} · whiskers: ${n}`}export{o as a};
