import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function t(e){return Object.fromEntries(Object.entries(e).filter(([,n])=>n!==void 0))}export{t as a};
