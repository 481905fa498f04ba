import { fileURLToPath } from "node:url";

export const PROTO_FILE = fileURLToPath(new URL("./work.proto", import.meta.url));
