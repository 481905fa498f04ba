import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function t(n,o,r){return[{code:n,severity:o,args:r}]}export{t as a};
