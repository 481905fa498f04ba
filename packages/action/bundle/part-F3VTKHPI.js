import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
var e=class extends Error{name="PngUnavailableError";code="PNG_UNAVAILABLE"};export{e as a};
