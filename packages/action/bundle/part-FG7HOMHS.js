import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function t(n,r,o){return[{code:n,severity:r,args:o}]}export{t as a};
