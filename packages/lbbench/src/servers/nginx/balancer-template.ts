import { TEMPLATE_BEGINNING } from "./template-beginning.js";

/**
 * The configuration of nginx in front of backends, as a Mustache template over `NginxView`.
 *
 * Paths are relative to the folder in which the configuration is. That it stays in the foreground, where its process
 * number goes and where it reports errors is said on the command line.
 */
export const BALANCER_TEMPLATE = `${TEMPLATE_BEGINNING}
  client_header_timeout {{headMs}}ms;
  client_body_timeout {{idleMs}}ms;
  send_timeout {{idleMs}}ms;
  keepalive_timeout {{keepAliveMs}}ms;
  keepalive_requests {{endlessRequests}};
  client_max_body_size 0;

  upstream backends {
{{#shared}}
    zone backends 1m;
{{/shared}}
{{#method}}
    {{method}};
{{/method}}
{{#backends}}
    server {{address}} weight={{weight}}{{#maxConnections}} max_conns={{maxConnections}}{{/maxConnections}} max_fails={{failures}} fail_timeout={{ejectSeconds}}s;
{{/backends}}
{{#keepAlive}}
    keepalive {{keepAlive}};
    keepalive_requests {{endlessRequests}};
    keepalive_timeout {{backendIdleMs}}ms;
{{/keepAlive}}
  }

  server {
    listen {{host}}:{{port}} backlog={{backlog}};

    location / {
      proxy_pass http://backends;
      proxy_http_version 1.1;
{{#keepAlive}}
      proxy_set_header Connection "";
{{/keepAlive}}
{{^keepAlive}}
      proxy_set_header Connection close;
{{/keepAlive}}
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_redirect off;
      proxy_max_temp_file_size 0;
      proxy_connect_timeout {{connectMs}}ms;
      proxy_send_timeout {{idleMs}}ms;
      proxy_read_timeout {{responseMs}}ms;
      proxy_next_upstream error timeout;
      proxy_next_upstream_tries {{tries}};
    }
  }
}
`;
