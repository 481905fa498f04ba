/** A process that answers at once: called by the doctor over its channel. */
import { serveChild } from "../child/serve.js";
import { createResponder } from "./responder.js";

serveChild(createResponder());
