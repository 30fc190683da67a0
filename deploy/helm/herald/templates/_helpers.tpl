{{- define "herald.name" -}}{{ .Release.Name }}-{{ .service }}{{- end }}

{{- define "herald.labels" -}}
app.kubernetes.io/name: herald
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end }}

{{- define "herald.image" -}}
{{ .of.repository }}:{{ .of.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every pod may not do: Kubernetes' Pod Security Standard "restricted". */}}
{{- define "herald.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "herald.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Combinations that would only fail later, in a running installation. */}}
{{- define "herald.checkValues" -}}
{{- $pools := add (int .Values.database.poolSize) 8 }}
{{- $connections := 10 }}
{{- range $name := list "gateway" "audience" "campaigns" "tracker" "webhooks" }}
{{- $of := index $.Values.services $name }}
{{- $most := max (int $of.replicas) (int ($of.maxReplicas | default $of.replicas)) }}
{{- $connections = add $connections (mul $most (add $pools (ternary 2 0 (eq $name "audience")))) }}
{{- end }}
{{- if and (ne .Values.database.pooler "pgbouncer") (gt (int $connections) (int .Values.database.maxConnections)) }}
{{- fail (printf "The services may open %d connections, and database.maxConnections is %d: raise it, lower maxReplicas or database.poolSize, or use PgBouncer (database.pooler)." (int $connections) (int .Values.database.maxConnections)) }}
{{- end }}
{{- if and (contains "," .Values.nats.url) (ne (int .Values.nats.replicas) 3) }}
{{- fail "nats.url names several servers, and nats.replicas is 1: the streams of a server that dies would be away with it. Set nats.replicas to 3." }}
{{- end }}
{{- if .Values.keda.enabled }}
{{- if not .Values.keda.prometheusAddress }}
{{- fail "keda.enabled needs keda.prometheusAddress: KEDA asks that Prometheus how many pushes wait." }}
{{- end }}
{{- if le (int (.Values.services.dispatcher.maxReplicas | default 0)) (int .Values.services.dispatcher.replicas) }}
{{- fail "keda.enabled scales the dispatchers between replicas and maxReplicas: raise services.dispatcher.maxReplicas." }}
{{- end }}
{{- end }}
{{- $dispatchers := max (int .Values.services.dispatcher.replicas) (int (.Values.services.dispatcher.maxReplicas | default 1)) }}
{{- $window := int (index .Values.services.dispatcher.env "DISPATCH_WINDOW" | default 1000) }}
{{- $trackers := int .Values.services.tracker.replicas }}
{{- if gt (mul $dispatchers $window) (mul $trackers 20000) }}
{{- fail (printf "%d dispatchers with a window of %d may have more outcomes under way than %d trackers take: raise services.tracker.replicas." $dispatchers $window $trackers) }}
{{- end }}
{{- end }}
