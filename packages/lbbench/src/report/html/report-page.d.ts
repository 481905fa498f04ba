/** The bundle that `page/build.mjs` makes of the browser's part of the HTML report. */
declare module "#report-page" {
  /** JavaScript for a classic `<script>`. */
  export const SCRIPT: string;
  /** CSS for a `<style>`. */
  export const STYLE: string;
  /** Of exactly these texts, as a Content-Security-Policy has them: `sha256-...`. */
  export const SCRIPT_HASH: string;
  export const STYLE_HASH: string;
}
