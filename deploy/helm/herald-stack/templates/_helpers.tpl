{{- define "stack.natsLabels" -}}
app.kubernetes.io/name: nats
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Combinations that would only fail later, in a running installation. */}}
{{- define "stack.checkValues" -}}
{{- if and .Release.IsInstall (eq .Values.herald.migrate.mode "hook") }}
{{- fail "herald.migrate.mode is hook: the first migration would wait for the Postgres that comes after it. Install with job." }}
{{- end }}
{{- if ne (ternary "tls://" "nats://" (ne .Values.nats.tlsSecret "")) (regexFind "^[a-z]+://" .Values.herald.nats.url) }}
{{- fail "With nats.tlsSecret the addresses in herald.nats.url begin with tls://, without it with nats://." }}
{{- end }}
{{- if ne .Values.nats.tlsSecret .Values.herald.nats.caSecret }}
{{- fail "Give nats.tlsSecret and herald.nats.caSecret the same name: the services check the certificates of NATS with its ca.crt." }}
{{- end }}
{{- end }}

{{/* deploy/nats/cluster.conf without its comments, and with how a server ends. */}}
{{- define "stack.natsConf" -}}
server_name: $SERVER
port: 4222
client_advertise: $ADDRESS
http: "127.0.0.1:8222"
max_payload: 4MB
ping_interval: "1s"
ping_max: 2
pid_file: "/run/nats/nats.pid"
lame_duck_grace_period: "10s"
lame_duck_duration: "30s"
jetstream { store_dir: "/data", max_file_store: 4GB, sync_interval: always }
{{- if .Values.nats.tlsSecret }}
tls { cert_file: "server.pem", key_file: "server-key.pem", ca_file: "ca.pem" }
{{- end }}
cluster {
  name: herald
  port: 6222
  cluster_advertise: $ADDRESS
  routes: [$FIRST, $SECOND, $THIRD]
  ping_interval: "1s"
  ping_max: 2
  {{- if .Values.nats.tlsSecret }}
  tls { cert_file: "server.pem", key_file: "server-key.pem", ca_file: "ca.pem", verify: true }
  {{- end }}
}
include users.conf
{{- end }}
