// Reads the reports (vitest's JSON) of test runs and prints the 20 slowest files, each test that failed with its message,
// and at last "N passed, N failed".
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const SLOWEST = 20;
const MOST_OF_A_MESSAGE = 1500;
const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")));
const files = reports.flatMap(({ testResults }) => testResults);
const seconds = files.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
const sum = (key) => reports.reduce((total, report) => total + report[key], 0);

console.log(`\nThe ${SLOWEST} slowest files:`);
for (const one of seconds.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)) {
  console.log(`${one.seconds.toFixed(1).padStart(7)} s  ${relative(process.cwd(), one.name)}`);
}
for (const { name, status, message, assertionResults } of files.filter((file) => file.status === "failed")) {
  const failed = assertionResults.filter((one) => one.status === "failed");
  console.log(`\nFailed: ${relative(process.cwd(), name)}${failed.length === 0 ? `, ${status}: ${message}` : ""}`);
  for (const { fullName, failureMessages } of failed) {
    console.log(
      `  ${fullName}\n    ${failureMessages.join("\n").slice(0, MOST_OF_A_MESSAGE).replaceAll("\n", "\n    ")}`,
    );
  }
}
// A file that cannot be loaded fails without a test of its own.
const broken = files.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
).length;
const skipped = sum("numPendingTests");
console.log(
  `\n${sum("numPassedTests")} passed, ${sum("numFailedTests") + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
);
