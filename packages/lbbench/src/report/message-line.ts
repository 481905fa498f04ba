/** A message of more characters is shortened where it has several lines. */
const LONGEST = 240;

/** Of what a program prints before it ends, the line that says why. */
const TELLING = /^(?:uncaught )?(?:[\w.]*(?:error|exception)|panic|fatal)\b/i;

/**
 * Returns a message in one line. Of a long one with several lines, such as one with what a program printed before it ended, that is
 * the first, and of the others the one that says why.
 */
export function messageLine(message: string): string {
  const [first = "", ...others] = message
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const whole = [first, ...others].join(" ");
  if (!isLong(message)) return whole;
  const telling = others.find((line) => TELLING.test(line)) ?? others[0] ?? "";
  return first.endsWith(":") ? `${first} ${telling}` : first;
}

/** Whether there is more to a message than its line says. */
export function isLong(message: string): boolean {
  return message.trim().length > LONGEST && /[\r\n]/.test(message.trim());
}
