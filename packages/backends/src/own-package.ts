import { fileURLToPath } from "node:url";

/** Where this package has its `.proto` file. The bundle of the Action has a module of its own in place of this one. */
export const PROTO_FILE = fileURLToPath(new URL("../proto/work.proto", import.meta.url));
