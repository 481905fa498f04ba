import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function t({lines:n,first:e}){return`
`.repeat(e-1)+n.join(`
`)}function c(n,{first:e,last:r}){return`${n}:${e===r?e:`${e}-${r}`}`}var o=class extends Error{name="ImportError";code="IMPORT_FAILED"};export{t as a,c as b,o as c};
