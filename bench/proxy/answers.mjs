const SMALL = Buffer.from("a small answer, 20 B");

/** 100 KB that differ from place to place, so that no piece can be lost or swapped unseen. */
export const HUNDRED_KILOBYTES = Buffer.from(
  Array.from({ length: 102_400 }, (_, index) => 32 + (((index * 7919) >> 3) % 95)),
);

/** Answers as the backend: `/small`, `/100k`, and `/echo` with the body that came. */
export function answer(request, response) {
  if (request.url === "/echo") return echo(request, response);
  const body = request.url === "/100k" ? HUNDRED_KILOBYTES : SMALL;
  response.writeHead(200, { "content-type": "text/plain", "content-length": body.length }).end(body);
}

function echo(request, response) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": body.length }).end(body);
  });
}
