/** The process that generates load: called by the engine over its channel. */
import { serveChild } from "../../child/serve.js";
import { createGenerator } from "./generator.js";

serveChild(createGenerator());
