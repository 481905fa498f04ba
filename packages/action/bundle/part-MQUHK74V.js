import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{e as a,f as b}from"./part-W2BDJVAY.js";import"./part-PLTLITAB.js";export{b as PngUnavailableError,a as loadCanvas};
