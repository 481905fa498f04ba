import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
var e=/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;function r(u){return n(u).trim()}function n(u){return u.replaceAll(e," ").replaceAll(/ {2,}/g," ")}export{r as a,n as b};
