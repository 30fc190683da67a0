import { existsSync } from 'node:fs'

/** What a web server needs to serve the folder `directory` over HTTP/2 on 127.0.0.1. `pem` holds certificate and key in one file. */
export type Given = { port: number; directory: string; certificate: string; key: string; pem: string }

/** A web server that shares no code with Herald: how Debian's package starts it, with a configuration file of its own. */
export type WebServer = {
  name: string
  debianPackage: string
  /** Where Debian puts the program, and what else it needs. All of these must exist. */
  needs: readonly string[]
  configuration: (given: Given) => string
  command: (configurationFile: string, given: Given) => string[]
}

const apacheModules = ['mpm_event', 'authz_core', 'ssl', 'http2'].map(
  (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
)

export const webServers: readonly WebServer[] = [
  {
    name: 'nginx',
    debianPackage: 'nginx-light',
    needs: ['/usr/sbin/nginx'],
    configuration: ({ port, directory, certificate, key }) => `
      daemon off; pid ${directory}/nginx.pid; error_log ${directory}/nginx.log; worker_processes 1;
      events { }
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${directory}/${kind};`).join(' ')}
        server { listen 127.0.0.1:${port} ssl http2; ssl_certificate ${certificate}; ssl_certificate_key ${key}; root ${directory}; }
      }`,
    command: (file) => ['/usr/sbin/nginx', '-c', file],
  },
  {
    name: 'HAProxy',
    debianPackage: 'haproxy',
    needs: ['/usr/sbin/haproxy'],
    configuration: ({ port, directory, pem }) => `
global
  tune.bufsize 65536
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
frontend all
  bind 127.0.0.1:${port} ssl crt ${pem} alpn h2
  http-request return status 200 content-type text/plain file ${directory}/body if METH_GET
  http-request return status 405 content-type text/plain string no
`,
    command: (file) => ['/usr/sbin/haproxy', '-db', '-f', file],
  },
  {
    name: 'Apache with mod_http2',
    debianPackage: 'apache2',
    needs: ['/usr/sbin/apache2', '/usr/lib/apache2/modules/mod_http2.so'],
    configuration: ({ port, directory, certificate, key }) => `
${apacheModules.join('\n')}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/apache.pid
ErrorLog ${directory}/apache.log
User www-data
Group www-data
Protocols h2
SSLEngine on
SSLCertificateFile ${certificate}
SSLCertificateKeyFile ${key}
DocumentRoot ${directory}
<Directory ${directory}>
  Require all granted
</Directory>
`,
    command: (file, { directory }) => ['/usr/sbin/apache2', '-d', directory, '-f', file, '-DFOREGROUND'],
  },
  {
    name: 'h2o',
    debianPackage: 'h2o',
    needs: ['/usr/bin/h2o'],
    configuration: ({ port, directory, certificate, key }) => `
listen: { host: 127.0.0.1, port: ${port}, ssl: { certificate-file: ${certificate}, key-file: ${key} } }
error-log: ${directory}/h2o.log
hosts: { default: { paths: { /: { file.dir: ${directory} } } } }
`,
    command: (file) => ['/usr/bin/h2o', '-m', 'worker', '-c', file],
  },
  {
    name: 'Caddy',
    debianPackage: 'caddy',
    needs: ['/usr/bin/caddy'],
    configuration: ({ port, directory, certificate, key }) => `
{
  admin off
  auto_https off
  storage file_system ${directory}/caddy
}
https://localhost:${port} {
  bind 127.0.0.1
  tls ${certificate} ${key}
  root * ${directory}
  file_server
}
`,
    command: (file) => ['/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    name: 'lighttpd',
    debianPackage: 'lighttpd lighttpd-mod-openssl',
    needs: ['/usr/sbin/lighttpd', '/usr/lib/lighttpd/mod_openssl.so'],
    configuration: ({ port, directory, pem }) => `
server.modules = ("mod_openssl")
server.document-root = "${directory}"
server.bind = "127.0.0.1"
server.port = ${port}
server.errorlog = "${directory}/lighttpd.log"
server.feature-flags = ("server.h2proto" => "enable")
ssl.engine = "enable"
ssl.pemfile = "${pem}"
`,
    command: (file) => ['/usr/sbin/lighttpd', '-D', '-f', file],
  },
  {
    name: 'Jetty',
    debianPackage: 'jetty9',
    needs: ['/usr/share/jetty9/start.jar', '/usr/bin/java', '/usr/bin/openssl'],
    // A script, because Jetty wants a folder and a key store of its own.
    configuration: ({ port, directory, pem }) => `
mkdir -p jetty/webapps/ROOT && cp body jetty/webapps/ROOT/ && cd jetty
openssl pkcs12 -export -in ${pem} -out keystore.p12 -passout pass:herald
exec java -jar /usr/share/jetty9/start.jar jetty.home=/usr/share/jetty9 jetty.base=${directory}/jetty --module=ssl,http2,deploy \\
  jetty.ssl.host=127.0.0.1 jetty.ssl.port=${port} jetty.sslContext.keyStorePath=keystore.p12 jetty.sslContext.keyStoreType=PKCS12 \\
  jetty.sslContext.keyStorePassword=herald jetty.sslContext.keyManagerPassword=herald jetty.sslContext.trustStorePath=keystore.p12 \\
  jetty.sslContext.trustStorePassword=herald jetty.sslContext.sniHostCheck=false
`,
    command: (file) => ['/bin/sh', '-e', file],
  },
]

export const isInstalled = ({ needs }: WebServer): boolean => needs.every((path) => existsSync(path))
