{{/* The chart's name, or what replaces it. */}}
{{- define "cotenant.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* The prefix of every object: the release's name, with the chart's where it is not in it. */}}
{{- define "cotenant.fullname" -}}
{{- $name := include "cotenant.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Cluster-wide objects also carry the namespace, so that two releases do not take each other's. */}}
{{- define "cotenant.clusterName" -}}
{{- $name := include "cotenant.fullname" . -}}
{{- $common := printf "%s-system" $name -}}
{{- if eq .Release.Namespace $common -}}{{ $name }}{{- else -}}{{ printf "%s-%s" $name .Release.Namespace | trunc 63 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "cotenant.selectorLabels" -}}
app.kubernetes.io/name: {{ include "cotenant.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cotenant.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "cotenant.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "cotenant.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "cotenant.fullname" .) -}}
{{- else -}}
{{- required "serviceAccount.name: name an account, for serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The user who may change what Cotenant writes. */}}
{{- define "cotenant.username" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "cotenant.serviceAccountName" . }}
{{- end -}}

{{- define "cotenant.image" -}}
{{- include "cotenant.imageOf" (dict "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}

{{/* An image by its digest, else by its tag or another one. */}}
{{- define "cotenant.imageOf" -}}
{{- $repository := .image.repository -}}
{{- if .image.registry -}}{{- $repository = printf "%s/%s" .image.registry .image.repository -}}{{- end -}}
{{- if .image.digest -}}{{ printf "%s@%s" $repository .image.digest }}
{{- else -}}{{ printf "%s:%s" $repository (.image.tag | default .tag) }}{{- end -}}
{{- end -}}

{{/* Whether some policy has a mode, given in lower case: "true" or nothing. */}}
{{- define "cotenant.usesMode" -}}
{{- $uses := eq .mode (lower .root.Values.policy.mode) -}}
{{- range $_, $policy := .root.Values.policies -}}
{{- if eq $.mode (lower ($policy.mode | default "")) -}}{{- $uses = true -}}{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{/* Whether some pods are gated and placed: "true" or nothing. */}}
{{- define "cotenant.gates" -}}
{{- if ne (toString .Values.kubernetes.gate) "false" -}}true{{- end -}}
{{- end -}}

{{/* Whether pods are filled: "true" or nothing. */}}
{{- define "cotenant.fills" -}}
{{- include "cotenant.usesMode" (dict "root" . "mode" "fill") -}}{{- include "cotenant.usesMode" (dict "root" . "mode" "cap") -}}
{{- end -}}

{{/* Whether templates of Jobs and the like are filled by some policy: "true" or nothing. */}}
{{- define "cotenant.fillsTemplates" -}}
{{- $uses := and (eq .Values.policy.fillScope "templates") (has (lower .Values.policy.mode) (list "fill" "cap")) -}}
{{- range $_, $policy := .Values.policies -}}
{{- $fills := has (lower ($policy.mode | default $.Values.policy.mode)) (list "fill" "cap") -}}
{{- if and $fills (eq "templates" ($policy.fillScope | default $.Values.policy.fillScope)) -}}{{- $uses = true -}}{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{/* In CEL: whether a pod was filled and one of its containers, sidecars included, failed. */}}
{{- define "cotenant.filledAndFailed" -}}
(has(object.metadata.annotations) && 'cotenant.dev/filled' in object.metadata.annotations && ({{ include "cotenant.someFailed" "containerStatuses" }} || {{ include "cotenant.someFailed" "initContainerStatuses" }}))
{{- end -}}

{{/* In CEL: whether a container of a list of statuses failed. */}}
{{- define "cotenant.someFailed" -}}
(has(object.status.{{ . }}) && object.status.{{ . }}.exists(status, (has(status.state.terminated) && status.state.terminated.exitCode != 0) || (has(status.lastState.terminated) && status.lastState.terminated.exitCode != 0)))
{{- end -}}

{{- define "cotenant.immediate" -}}
{{- include "cotenant.usesMode" (dict "root" . "mode" "immediate") -}}
{{- end -}}

{{/* Whether some policy has pods deleted so that their controllers make new ones: "true" or nothing. */}}
{{- define "cotenant.resubmits" -}}
{{- $uses := has "resubmit" (list .Values.policy.outOfMemory .Values.policy.unschedulable) -}}
{{- range $_, $policy := .Values.policies -}}
{{- if has "resubmit" (list $policy.outOfMemory $policy.unschedulable) -}}{{- $uses = true -}}{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{/* Whether some policy evicts pods, for others of higher priority or by its guard: "true" or nothing. */}}
{{- define "cotenant.evicts" -}}
{{- $uses := or (eq "evict" (.Values.policy.preemption | default "")) (eq "act" (.Values.policy.guard | default "")) -}}
{{- range $_, $policy := .Values.policies -}}
{{- if or (eq "evict" ($policy.preemption | default "")) (eq "act" ($policy.guard | default "")) -}}{{- $uses = true -}}{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{/* Whether some policy uses a GPU assignment adapter: "true" or nothing. */}}
{{- define "cotenant.usesGpuAssignment" -}}
{{- $uses := eq .gpuAssignment (.root.Values.policy.gpuAssignment | default "") -}}
{{- range $_, $policy := .root.Values.policies -}}
{{- if eq $.gpuAssignment ($policy.gpuAssignment | default "") -}}{{- $uses = true -}}{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{- define "cotenant.certificateSecret" -}}
{{- .Values.certs.existingSecret | default (printf "%s-webhook-tls" (include "cotenant.fullname" .)) -}}
{{- end -}}

{{/* Whether the chart makes the certificate itself: "true" or nothing. */}}
{{- define "cotenant.makesCertificate" -}}
{{- if not (or .Values.certManager.enabled .Values.certs.existingSecret) -}}true{{- end -}}
{{- end -}}

{{/* The certificate of the chart: data, and renewAfter in seconds since 1970. Stored in the values, as each evaluation of genCA makes another
     one. That of the cluster stays until it is to be renewed. */}}
{{- define "cotenant.madeCertificate" -}}
{{- if not (hasKey .Values.certs "made") -}}
{{- $fullname := include "cotenant.fullname" . -}}
{{- $present := (lookup "v1" "Secret" .Release.Namespace (include "cotenant.certificateSecret" .)) | default dict -}}
{{- $data := $present.data | default dict -}}
{{- $renewAfter := dig "metadata" "annotations" "cotenant.dev/renew-after" "0" $present -}}
{{- if not (and (index $data "tls.crt") (index $data "tls.key") (index $data "ca.crt") (gt (int64 $renewAfter) (now | unixEpoch | int64))) -}}
{{- $days := int .Values.certs.validDays -}}
{{- $ca := genCAWithKey (printf "%s-ca" $fullname) $days (genPrivateKey "ecdsa") -}}
{{- $host := printf "%s.%s.svc" $fullname .Release.Namespace -}}
{{- $leader := printf "%s-leader.%s.svc" $fullname .Release.Namespace -}}
{{- $certificate := genSignedCertWithKey $host nil (list $host (printf "%s.cluster.local" $host) $leader (printf "%s.cluster.local" $leader) $fullname) $days $ca (genPrivateKey "ecdsa") -}}
{{- $data = dict "ca.crt" ($ca.Cert | b64enc) "tls.crt" ($certificate.Cert | b64enc) "tls.key" ($certificate.Key | b64enc) -}}
{{- $renewAfter = add (now | unixEpoch | int64) (mul (div (mul $days 2) 3) 86400) | toString -}}
{{- end -}}
{{- $_ := set .Values.certs "made" (dict "data" $data "renewAfter" $renewAfter) -}}
{{- end -}}
{{- toYaml .Values.certs.made -}}
{{- end -}}

{{/* The default policy, with the chart's scheduler unless another one is named or the GPU assignment excludes one. */}}
{{- define "cotenant.policy" -}}
{{- $policy := deepCopy .Values.policy -}}
{{- if and .Values.scheduler.enabled (not $policy.schedulerName) (not (has $policy.gpuAssignment (list "hami" "dra"))) -}}
{{- $_ := set $policy "schedulerName" .Values.scheduler.name -}}
{{- end -}}
{{- toYaml $policy -}}
{{- end -}}

{{/* Whether a scheduler places the pods of some policy: "true" or nothing. */}}
{{- define "cotenant.usesScheduler" -}}
{{- $uses := or .Values.scheduler.enabled .Values.policy.schedulerName -}}
{{- range $_, $policy := .Values.policies -}}
{{- if $policy.schedulerName -}}{{- $uses = true -}}{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{/* The secret with the scheduler's configuration and the digest of its token. */}}
{{- define "cotenant.schedulerSecret" -}}
{{- .Values.scheduler.existingSecret | default (printf "%s-scheduler" (include "cotenant.fullname" .)) -}}
{{- end -}}

{{- define "cotenant.schedulerImage" -}}
{{- include "cotenant.imageOf" (dict "image" .Values.scheduler.image) -}}
{{- end -}}

{{/* The configuration of the second scheduler. A token is in it, so it belongs into a secret. Without managedResources, as GPUs are requested by
     annotations too: the scheduler places the pods of Cotenant's policies alone. Without caFile it would accept any certificate. */}}
{{- define "cotenant.schedulerConfiguration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
  resourceLock: leases
  resourceName: {{ include "cotenant.fullname" .root }}-scheduler
  resourceNamespace: {{ .root.Release.Namespace }}
profiles:
  - schedulerName: {{ .root.Values.scheduler.name }}
extenders:
  - urlPrefix: https://scheduler:{{ .token }}@{{ include "cotenant.fullname" .root }}-leader.{{ .root.Release.Namespace }}.svc/extender
    filterVerb: filter
    prioritizeVerb: prioritize
    bindVerb: bind
    preemptVerb: preempt
    weight: {{ .root.Values.scheduler.weight }}
    enableHTTPS: true
    tlsConfig:
      caFile: /etc/kubernetes/scheduler/ca.crt
    httpTimeout: {{ .root.Values.scheduler.httpTimeout }}
    nodeCacheCapable: true
    ignorable: false
{{- end -}}

{{/* The namespaces that are opted in, without those whose pods Cotenant or the cluster itself needs, and where it may not write. */}}
{{- define "cotenant.namespaceSelector" -}}
{{- $selector := deepCopy .Values.webhook.namespaceSelector -}}
{{- $excluded := append .Values.webhook.excludedNamespaces .Release.Namespace | uniq -}}
{{- $exclusion := dict "key" "kubernetes.io/metadata.name" "operator" "NotIn" "values" $excluded -}}
{{- $expressions := append ($selector.matchExpressions | default list) $exclusion -}}
{{- with .Values.rbac.namespaces -}}
{{- $expressions = append $expressions (dict "key" "kubernetes.io/metadata.name" "operator" "In" "values" .) -}}
{{- end -}}
{{- $_ := set $selector "matchExpressions" $expressions -}}
{{- toYaml $selector -}}
{{- end -}}

{{/* A variable of policies in CEL: the labels of the object's namespace. */}}
{{- define "cotenant.namespaceLabels" -}}
- name: namespaceLabels
  expression: "has(namespaceObject.metadata.labels) ? namespaceObject.metadata.labels : {}"
{{- end -}}

{{/* In CEL: whether the webhooks take in pods of that namespace. */}}
{{- define "cotenant.isOptedIn" -}}
{{- $selector := fromYaml (include "cotenant.namespaceSelector" .) -}}
{{- $terms := list -}}
{{- range $key, $value := $selector.matchLabels -}}
{{- $terms = append $terms (printf "('%s' in variables.namespaceLabels && variables.namespaceLabels['%s'] == '%s')" $key $key $value) -}}
{{- end -}}
{{- range $selector.matchExpressions -}}
{{- $has := printf "'%s' in variables.namespaceLabels" .key -}}
{{- $in := printf "(%s && variables.namespaceLabels['%s'] in ['%s'])" $has .key (join "', '" (.values | default list)) -}}
{{- if eq .operator "In" -}}{{- $terms = append $terms $in -}}
{{- else if eq .operator "NotIn" -}}{{- $terms = append $terms (printf "!%s" $in) -}}
{{- else if eq .operator "Exists" -}}{{- $terms = append $terms (printf "(%s)" $has) -}}
{{- else -}}{{- $terms = append $terms (printf "!(%s)" $has) -}}{{- end -}}
{{- end -}}
{{- join " && " $terms -}}
{{- end -}}

{{/* Properties below a prefix: nested keys in camel case become keys in kebab case; empty values are left out. */}}
{{- define "cotenant.properties" -}}
{{- $prefix := .prefix -}}
{{- range $key, $value := .values -}}
{{- $name := printf "%s.%s" $prefix (regexReplaceAll "([A-Z])" $key "-${1}" | lower) -}}
{{- if kindIs "map" $value -}}
{{- include "cotenant.properties" (dict "prefix" $name "values" $value) -}}
{{- else if kindIs "slice" $value -}}
{{- if $value -}}{{- include "cotenant.property" (dict "key" $name "value" (join "," $value)) -}}{{- end -}}
{{- else if not (or (kindIs "invalid" $value) (eq (toString $value) "")) -}}
{{- include "cotenant.property" (dict "key" $name "value" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* One line of a properties file; whole numbers are written as such however large they are. */}}
{{- define "cotenant.property" -}}
{{- $value := .value -}}
{{- if and (kindIs "float64" $value) (eq (floor $value) $value) -}}{{- $value = int64 $value -}}{{- end -}}
{{ .key }}={{ toString $value | replace "\\" "\\\\" | replace "\n" "\\n" }}
{{ end -}}

{{/* The port of a URL, or that of its kind. */}}
{{- define "cotenant.urlPort" -}}
{{- $host := (urlParse .url).host -}}
{{- $port := regexFind ":[0-9]+$" $host | trimPrefix ":" -}}
{{- if $port -}}{{ $port }}{{- else -}}{{ get (dict "http" "80" "https" "443" "postgresql" "5432") (urlParse .url).scheme }}{{- end -}}
{{- end -}}

{{/* What cannot work is refused here, where the schema cannot say it. */}}
{{- define "cotenant.check" -}}
{{- if and (include "cotenant.immediate" .) (ne (int .Values.replicaCount) 1) -}}
{{- fail (printf "replicaCount: mode immediate keeps its grants in one process, so replicaCount must be 1, is %d" (int .Values.replicaCount)) -}}
{{- end -}}
{{- if and (include "cotenant.immediate" .) (include "cotenant.usesMode" (dict "root" . "mode" "enforce")) -}}
{{- fail "policies: mode immediate keeps its grants in the process and enforce in the cluster; use one" -}}
{{- end -}}
{{- if and (not (include "cotenant.gates" .)) (include "cotenant.usesMode" (dict "root" . "mode" "enforce")) -}}
{{- fail "kubernetes.gate: must be true where the mode of a policy is enforce: nothing else ungates pods" -}}
{{- end -}}
{{- if and (include "cotenant.resubmits" .) (not .Values.rbac.deletePods) -}}
{{- fail "rbac.deletePods: policies with outOfMemory or unschedulable resubmit delete pods, so that must be allowed" -}}
{{- end -}}
{{- range $name, $policy := merge (dict "policy" .Values.policy) .Values.policies -}}
{{- $gpuAssignment := $policy.gpuAssignment | default $.Values.policy.gpuAssignment -}}
{{- if and $policy.schedulerName (has $gpuAssignment (list "hami" "dra")) -}}
{{- fail (printf "schedulerName: a scheduler that calls the extender cannot place pods with GPU assignment %s (policy %s)" $gpuAssignment $name) -}}
{{- end -}}
{{- end -}}
{{- if .Values.scheduler.enabled -}}
{{- if include "cotenant.immediate" . -}}
{{- fail "scheduler.enabled: mode immediate grants when a pod is created, so no scheduler places its pods" -}}
{{- end -}}
{{- if not .Values.webhook.enabled -}}
{{- fail "scheduler.enabled: the extender is on the port of the webhooks, so webhook.enabled must be true" -}}
{{- end -}}
{{- if eq .Values.scheduler.name "default-scheduler" -}}
{{- fail "scheduler.name: default-scheduler is the cluster's own scheduler" -}}
{{- end -}}
{{- if hasKey .Values.extraConfiguration "cotenant.rest.tokens-file" -}}
{{- fail "extraConfiguration: cotenant.rest.tokens-file is the chart's with scheduler.enabled; add its lines to key tokens of a secret of yours, scheduler.existingSecret" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.certManager.enabled .Values.certs.existingSecret -}}
{{- fail "certs.existingSecret: either certManager.enabled or certs.existingSecret, not both" -}}
{{- end -}}
{{- if and .Values.webhook.clientCa.configMap .Values.webhook.clientCa.secret -}}
{{- fail "webhook.clientCa: either configMap or secret, not both" -}}
{{- end -}}
{{- if and .Values.webhook.clientNames (not (or .Values.webhook.clientCa.configMap .Values.webhook.clientCa.secret)) -}}
{{- fail "webhook.clientNames: name who signs their certificates in webhook.clientCa" -}}
{{- end -}}
{{- if and .Values.networkPolicy.callersFrom (not .Values.networkPolicy.apiServerFrom) -}}
{{- fail "networkPolicy.callersFrom: without networkPolicy.apiServerFrom the port is open to all" -}}
{{- end -}}
{{- if and .Values.devices.configMap .Values.devices.csv -}}
{{- fail "devices: either configMap or csv" -}}
{{- end -}}
{{- if and .Values.webhook.enabled .Values.certs.existingSecret (not .Values.certs.caBundle) -}}
{{- fail "certs.caBundle: say who signed the certificate in certs.existingSecret (base64 of its PEM file)" -}}
{{- end -}}
{{- end -}}

{{/* What all webhooks have in common. */}}
{{- define "cotenant.webhook" -}}
admissionReviewVersions: [v1]
sideEffects: None
failurePolicy: {{ .root.Values.webhook.failurePolicy }}
timeoutSeconds: {{ .root.Values.webhook.timeoutSeconds }}
matchPolicy: Equivalent
clientConfig:
  service:
    name: {{ include "cotenant.fullname" .root }}
    namespace: {{ .root.Release.Namespace }}
    path: {{ .path }}
    port: 443
  {{- with .authority }}
  caBundle: {{ . }}
  {{- end }}
namespaceSelector:
  {{- include "cotenant.namespaceSelector" .root | nindent 2 }}
{{- end -}}

{{/* Which pods are taken in; those that are out are guarded all the same. */}}
{{- define "cotenant.objectSelector" -}}
objectSelector:
  {{- toYaml .Values.webhook.objectSelector | nindent 2 }}
{{- end -}}

{{/* In CEL: whether a pod that is created takes itself out and brings annotations of ours along. */}}
{{- define "cotenant.optedOutWithOurs" -}}
has(object.metadata.labels) && 'cotenant.dev/colocation' in object.metadata.labels && object.metadata.labels['cotenant.dev/colocation'] == 'disabled' && has(object.metadata.annotations) && object.metadata.annotations.exists(key, key.startsWith('cotenant.dev/'))
{{- end -}}

{{- define "cotenant.webhookAnnotations" -}}
{{- $annotations := deepCopy .Values.webhook.annotations -}}
{{- if .Values.certManager.enabled -}}
{{- $_ := set $annotations "cert-manager.io/inject-ca-from" (printf "%s/%s" .Release.Namespace (include "cotenant.fullname" .)) -}}
{{- end -}}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* In CEL: whether an update adds, changes or removes an annotation that only Cotenant writes. */}}
{{- define "cotenant.ourAnnotationsChanged" -}}
{{- $names := list -}}
{{- range list "admission-id" "request" "predicted-utilization" "predicted-utilization-mean" "predicted-memory" "objective-slowdown" "granted-risk" "granted-stay" "measured-rate" "assigned-node" "assigned-gpu" "mps-active-thread-percentage" "engine-budget" "filled" "decision" "reason" "reason-codes" "granted-at" "profile-time" "profiled" "term" "unschedulable" -}}
{{- $names = append $names (printf "'cotenant.dev/%s'" .) -}}
{{- end -}}
[{{ join ", " $names }}].exists(key, (has(object.metadata.annotations) && key in object.metadata.annotations ? object.metadata.annotations[key] : '') != (has(oldObject.metadata.annotations) && key in oldObject.metadata.annotations ? oldObject.metadata.annotations[key] : ''))
{{- end -}}

{{/* In CEL: whether our gate holds the pod that is updated. */}}
{{- define "cotenant.held" -}}
(has(oldObject.spec.schedulingGates) && oldObject.spec.schedulingGates.exists(gate, gate.name == 'cotenant.dev/colocation'))
{{- end -}}

{{- define "cotenant.leaseName" -}}
{{- include "cotenant.fullname" . }}-leader
{{- end -}}

{{/* The ConfigMap with the file of devices; nothing without such a file. */}}
{{- define "cotenant.devicesConfigMap" -}}
{{- if .Values.devices.csv -}}{{ include "cotenant.fullname" . }}-devices{{- else -}}{{ .Values.devices.configMap }}{{- end -}}
{{- end -}}

{{/* Whether files are mounted to reach the metrics server: "true" or nothing. */}}
{{- define "cotenant.prometheusFiles" -}}
{{- $prometheus := .Values.prometheus -}}
{{- if or $prometheus.bearerTokenSecret.name $prometheus.caConfigMap.name $prometheus.clientCertificateSecret -}}true{{- end -}}
{{- end -}}

{{/* Where the file with the signers of API servers' certificates comes from: "true" where there is one. */}}
{{- define "cotenant.clientCa" -}}
{{- if and .Values.webhook.enabled (or .Values.webhook.clientCa.configMap .Values.webhook.clientCa.secret) -}}true{{- end -}}
{{- end -}}

{{/* The names of the Services, as clients in and out of the namespace call them. */}}
{{- define "cotenant.serviceHosts" -}}
{{- $hosts := list -}}
{{- range list "" "-leader" "-metrics" -}}
{{- $name := printf "%s%s" (include "cotenant.fullname" $) . -}}
{{- range list "" (printf ".%s" $.Release.Namespace) (printf ".%s.svc" $.Release.Namespace) (printf ".%s.svc.cluster.local" $.Release.Namespace) -}}
{{- $hosts = append $hosts (printf "%s%s" $name .) -}}
{{- end -}}
{{- end -}}
{{- join "," (concat $hosts .Values.rest.allowedHosts) -}}
{{- end -}}

{{/* What docs/configuration.md calls the keys of the service. */}}
{{- define "cotenant.configuration" -}}
{{- $files := dict -}}
{{- if .Values.prometheus.bearerTokenSecret.name -}}{{- $_ := set $files "bearerTokenFile" "/etc/cotenant/prometheus/token" -}}{{- end -}}
{{- if .Values.prometheus.caConfigMap.name -}}{{- $_ := set $files "caFile" "/etc/cotenant/prometheus/ca.crt" -}}{{- end -}}
{{- if .Values.prometheus.clientCertificateSecret -}}
{{- $_ := set $files "clientCertificateFile" "/etc/cotenant/prometheus/tls.crt" -}}
{{- $_ := set $files "clientKeyFile" "/etc/cotenant/prometheus/tls.key" -}}
{{- end -}}
{{- $prometheus := omit .Values.prometheus "bearerTokenSecret" "caConfigMap" "clientCertificateSecret" -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.policy" "values" (include "cotenant.policy" . | fromYaml)) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.policies" "values" .Values.policies) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.prometheus" "values" (merge $files $prometheus)) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.metrics" "values" .Values.metrics) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.forecast" "values" .Values.forecast) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.ledger" "values" .Values.ledger) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.gate" "values" .Values.gate) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.log" "values" .Values.log) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.traces" "values" .Values.traces) -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.database" "values" (omit .Values.database "existingSecret" "existingSecretKey")) -}}
{{- include "cotenant.property" (dict "key" "cotenant.webhook.service-account" "value" (include "cotenant.username" .)) -}}
{{- if include "cotenant.devicesConfigMap" . -}}
{{- include "cotenant.property" (dict "key" "cotenant.devices.file" "value" "/etc/cotenant/devices/devices.csv") -}}
{{- end -}}
{{- if .Values.models.volume -}}
{{- include "cotenant.property" (dict "key" "cotenant.models.directory" "value" "/var/lib/cotenant-models") -}}
{{- end -}}
{{- with .Values.models.hub -}}
{{- include "cotenant.property" (dict "key" "cotenant.models.hub" "value" .) -}}
{{- end -}}
{{- $folders := list -}}
{{- range $path, $directory := .Values.models.folders -}}
{{- $folders = append $folders (printf "%s=%s" $path $directory) -}}
{{- end -}}
{{- with $folders -}}
{{- include "cotenant.property" (dict "key" "cotenant.models.folders" "value" (join "," .)) -}}
{{- end -}}
{{- with .Values.models.urls -}}
{{- include "cotenant.property" (dict "key" "cotenant.models.urls" "value" (join "," .)) -}}
{{- end -}}
{{- with .Values.models.privateUrls -}}
{{- include "cotenant.property" (dict "key" "cotenant.models.private-urls" "value" (join "," .)) -}}
{{- end -}}
{{- include "cotenant.properties" (dict "prefix" "cotenant.kubernetes" "values" .Values.kubernetes) -}}
{{- include "cotenant.property" (dict "key" "cotenant.kubernetes.enabled" "value" true) -}}
{{- include "cotenant.property" (dict "key" "cotenant.kubernetes.namespace" "value" .Release.Namespace) -}}
{{- include "cotenant.property" (dict "key" "cotenant.kubernetes.lease-name" "value" (include "cotenant.leaseName" .)) -}}
{{- include "cotenant.property" (dict "key" "cotenant.rest.trust-loopback" "value" false) -}}
{{- include "cotenant.property" (dict "key" "cotenant.rest.allowed-hosts" "value" (include "cotenant.serviceHosts" .)) -}}
{{- include "cotenant.property" (dict "key" "quarkus.swagger-ui.enabled" "value" .Values.swaggerUi.enabled) -}}
{{- if .Values.scheduler.enabled -}}
{{- include "cotenant.property" (dict "key" "cotenant.rest.tokens-file" "value" "/etc/cotenant/tokens/tokens") -}}
{{- end -}}
{{- if include "cotenant.clientCa" . -}}
{{- include "cotenant.property" (dict "key" "cotenant.webhook.client-ca" "value" "/etc/cotenant/client-ca/ca.crt") -}}
{{- with .Values.webhook.clientNames -}}
{{- include "cotenant.property" (dict "key" "cotenant.webhook.client-names" "value" (join "," .)) -}}
{{- end -}}
{{- end -}}
{{- if .Values.webhook.enabled -}}
{{- include "cotenant.property" (dict "key" "quarkus.tls.webhook.key-store.pem.0.cert" "value" "/etc/cotenant/tls/tls.crt") -}}
{{- include "cotenant.property" (dict "key" "quarkus.tls.webhook.key-store.pem.0.key" "value" "/etc/cotenant/tls/tls.key") -}}
{{- include "cotenant.property" (dict "key" "cotenant.webhook.certificate-interval" "value" .Values.certs.reloadPeriod) -}}
{{- end -}}
{{- range $key, $value := .Values.extraConfiguration -}}
{{- include "cotenant.property" (dict "key" $key "value" $value) -}}
{{- end -}}
{{- end -}}

{{/* Annotations of what runs before the release is deleted, in the order of the weights. */}}
{{- define "cotenant.uninstallHook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* The command line, without its launcher, which is for machines with a JDK. */}}
{{- define "cotenant.ungateCommand" -}}
command: [java]
args:
  - -XX:+UseSerialGC
  - -cp
  - /opt/cotenant/cli/cotenant-cli.jar:/opt/cotenant/cli/lib/*
  - dev.cotenant.cli.Main
  - ungate
  - --all
  - --webhooks
  - {{ include "cotenant.clusterName" . }}
{{- end -}}

{{/* A review as an API server asks it for a pod without a GPU; nothing is stored. */}}
{{- define "cotenant.testReview" -}}
{
  "apiVersion": "admission.k8s.io/v1",
  "kind": "AdmissionReview",
  "request": {
    "uid": "helm-test",
    "kind": {"group": "", "version": "v1", "kind": "Pod"},
    "resource": {"group": "", "version": "v1", "resource": "pods"},
    "operation": "CREATE",
    "namespace": {{ .Release.Namespace | toJson }},
    "userInfo": {"username": "helm-test"},
    "dryRun": true,
    "object": {
      "apiVersion": "v1",
      "kind": "Pod",
      "metadata": {"name": "helm-test"},
      "spec": {"containers": [{"name": "main", "image": "none"}]}
    }
  }
}
{{- end -}}

{{/* One alert, whose runbook is a heading of docs/troubleshooting/alerts.md. */}}
{{- define "cotenant.alert" -}}
- alert: {{ .name }}
  expr: {{ .expr | quote }}
  for: {{ .for }}
  labels:
    severity: {{ .severity }}
    {{- with .root.Values.prometheusRule.alertLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    summary: {{ .summary | quote }}
    description: {{ .description | quote }}
    runbook_url: {{ printf "%s/alerts.md#%s" .root.Values.prometheusRule.runbookUrl (lower .name) | quote }}
{{- end -}}

{{/* What the service may write, in the whole cluster or in the namespaces of rbac.namespaces. */}}
{{- define "cotenant.writeRules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [patch{{ if .Values.rbac.deletePods }}, delete{{ end }}]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- if include "cotenant.usesGpuAssignment" (dict "root" . "gpuAssignment" "dra") }}
# Claims that select the granted GPU, in the namespaces of the pods.
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims]
  verbs: [create, get, patch]
{{- end }}
{{- if include "cotenant.usesScheduler" . }}
# The extender binds pods, with their annotations in the Binding.
- apiGroups: [""]
  resources: [pods/binding]
  verbs: [create]
{{- end }}
{{- if include "cotenant.evicts" . }}
# Preemption and the guard: granted pods are evicted, within their PodDisruptionBudgets.
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
{{- end }}
{{- end -}}

{{/* What viewers may do, in the words of the table of endpoints. */}}
{{- define "cotenant.viewerRules" -}}
- apiGroups: [cotenant.dev]
  resources: [constants, decisions, devices, kvcaches, memoryshortages, predictors, profiles, queue, recommendations, replays, serviceprofiles]
  verbs: [list]
- apiGroups: [cotenant.dev]
  resources: [fleets, gpus, models, trainings]
  verbs: [get, list]
- apiGroups: [cotenant.dev]
  resources: [explanations, reservations]
  verbs: [get]
{{- end -}}

{{/* What editors may do beside that. */}}
{{- define "cotenant.editorRules" -}}
- apiGroups: [cotenant.dev]
  resources: [decisions, plans, predictions, predictors, profiles, replays, speeds]
  verbs: [create]
- apiGroups: [cotenant.dev]
  resources: [serviceprofiles]
  verbs: [create, delete]
- apiGroups: [cotenant.dev]
  resources: [memoryshortages]
  verbs: [delete]
- apiGroups: [cotenant.dev]
  resources: [models]
  verbs: [update]
- apiGroups: [cotenant.dev]
  resources: [reservations]
  verbs: [create, update, delete]
{{- end -}}
