/**
 * How both configurations of nginx begin, up to the first lines of `http`: who runs it, its processes, and temporary files
 * in its folder.
 */
export const TEMPLATE_BEGINNING = `{{#user}}
user {{user}};
{{/user}}
worker_processes {{workers}};
error_log stderr crit;

events {
  worker_connections {{workerConnections}};
}

http {
  access_log off;
  client_body_temp_path client_body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
`;
