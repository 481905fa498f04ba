import { TEMPLATE_BEGINNING } from "./template-beginning.js";

/**
 * The configuration of nginx alone, as a Mustache template over `NginxStaticView`; what is said on the command line is
 * the same as for the one in front of backends.
 */
export const STATIC_TEMPLATE = `${TEMPLATE_BEGINNING}
  types {
    text/html html htm;
    text/css css;
    text/plain txt md;
    text/xml xml;
    text/javascript js mjs;
    application/json json map;
    application/wasm wasm;
    font/woff2 woff2;
    image/avif avif;
    image/gif gif;
    image/jpeg jpg jpeg;
    image/png png;
    image/svg+xml svg;
    image/webp webp;
  }
  default_type application/octet-stream;

  sendfile on;
  tcp_nopush on;
  keepalive_requests {{keepAliveRequests}};

  server {
    listen {{host}}:{{port}} backlog={{backlog}};
    root "{{root}}";
    index index.html;
  }
}
`;
