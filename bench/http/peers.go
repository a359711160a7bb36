package main

// The peers' configurations. Each proxy reuses its connections to the app, adds X-Forwarded-For, writes no access log,
// uses both cores, and takes as many connections as the work has; all else is the peer's default.

const nginxConfig = `daemon off;
user root;
worker_processes auto;
worker_rlimit_nofile 20000;
pid {{.Dir}}/nginx.pid;
error_log {{.Dir}}/nginx-error.log warn;
events { worker_connections 19000; }
http {
  access_log off;
  keepalive_requests 1000000000;
  ssl_certificate {{.Cert}};
  ssl_certificate_key {{.Key}};
  client_max_body_size 0;
  client_body_temp_path {{.Dir}}/nginx-body;
  proxy_temp_path {{.Dir}}/nginx-proxy;
  fastcgi_temp_path {{.Dir}}/nginx-fastcgi;
  uwsgi_temp_path {{.Dir}}/nginx-uwsgi;
  scgi_temp_path {{.Dir}}/nginx-scgi;
  map $http_upgrade $upgrade { default upgrade; "" ""; }
  upstream app { server {{.App}}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen {{.Listen}} backlog=4096;
    listen {{.Secure}} ssl http2 backlog=4096;
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_read_timeout 1h;
    }
    location /unbuffered/ {
      proxy_pass http://app/;
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header Host $host;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}
`

const haproxyConfig = `global
  nbthread 2
  maxconn 9500
defaults
  mode http
  option forwardfor
  http-reuse always
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
frontend visitors
  bind {{.Listen}} backlog 4096
  bind {{.Secure}} ssl crt {{.Both}} alpn h2,http/1.1 backlog 4096
  http-request set-header X-Forwarded-Proto http unless { ssl_fc }
  http-request set-header X-Forwarded-Proto https if { ssl_fc }
  default_backend app
backend app
  server app {{.App}}
`

const caddyConfig = `{
  admin off
  auto_https off
  persist_config off
  servers {
    protocols h1 h2 h2c h3
  }
}
(app) {
  bind 127.0.0.1
  reverse_proxy {{.App}} {
    transport http {
      keepalive_idle_conns_per_host 512
    }
  }
}
http://{{.Listen}} {
  import app
}
https://{{.Secure}} {
  tls {{.Cert}} {{.Key}}
  import app
}
`
