import { withdrawFile } from "./download.js";
import { drawReport } from "./draw-report.js";
import { followRun } from "./live/follow-run.js";
import { offerSchemes } from "./color-scheme.js";

/** What runs in the page of the HTML report. */
withdrawFile();
offerSchemes();
drawReport(document);
followRun();
document.documentElement.dataset["ready"] = "true";
