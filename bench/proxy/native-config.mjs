/*
 * The configurations of nginx and haproxy. No connection is closed for its age or for the number of requests on it, by
 * anyone: by default nginx closes every connection after 1000 requests, and the contenders would be measured at that.
 */

/**
 * nginx as the backend: `/small`, `/100k`, and `/echo`, which it passes on to a server that echoes; that one is asked
 * only before the measurements. `folder` holds the file `100k`.
 */
export function nginxBackend({ folder, ports, echoPort }) {
  return `${nginxHead(folder)}
  server {
${ports.map((port) => `    listen 127.0.0.1:${port} backlog=1024;`).join("\n")}
    default_type text/plain;
    location = /small { return 200 "a small answer, 20 B"; }
    location = /100k { root ${folder}; open_file_cache max=8; open_file_cache_valid 1h; }
    location = /echo { proxy_pass http://127.0.0.1:${echoPort}; client_body_buffer_size 64k; }
  }
}
`;
}

/** nginx as a contender: one worker, keep-alive on both sides, no log, and bodies never on disk. */
export function nginxProxy({ folder, port, backends }) {
  return `${nginxHead(folder)}
  upstream backends {
${backends.map((url) => `    server ${new URL(url).host};`).join("\n")}
    keepalive 128;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / {
      proxy_pass http://backends;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_max_temp_file_size 0;
      client_body_buffer_size 64k;
    }
  }
}
`;
}

function nginxHead(folder) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}`;
}

/** haproxy as a contender: one thread; `maxconn` is low because haproxy does not start above half of the descriptors. */
export function haproxy({ mode, port, backends }) {
  return `global
  nbthread 1
  maxconn 400
defaults
  mode ${mode}
  timeout connect 5s
  timeout client 1h
  timeout server 1h
${mode === "http" ? "  http-reuse always\n" : ""}listen proxy
  bind 127.0.0.1:${port}
  balance roundrobin
${backends.map((url, index) => `  server backend${index} ${new URL(url).host}`).join("\n")}
`;
}
