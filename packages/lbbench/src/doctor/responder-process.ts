/** A process that answers at once: called by the doctor over its channel. */
import { serveChild } from "../system/fork.js";
import { createResponder } from "./responder.js";

serveChild(createResponder());
