{{/* What every object carries. Takes root and component. */}}
{{- define "authz.labels" -}}
{{ include "authz.selector" . }}
app.kubernetes.io/part-of: authz
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* What finds the pods. Takes root and component. */}}
{{- define "authz.selector" -}}
app.kubernetes.io/name: {{ .component }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{/* Not root, and no rights that nobody uses. */}}
{{- define "authz.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "authz.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities:
  drop: ["ALL"]
{{- end }}

{{/* Where pods may run. */}}
{{- define "authz.placement" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "authz.serverImage" -}}
{{ .Values.server.image.repository }}:{{ required "Set server.image.tag to a full version X.Y.Z." .Values.server.image.tag }}
{{- end }}

{{/* What the server and its migrations connect to the database with: its address, other variables, files. */}}
{{- define "authz.environment" -}}
- name: POSTGRES_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "Set server.database.existingSecret to the Secret with the connection URL." .Values.server.database.existingSecret }}
      key: {{ .Values.server.database.key }}
{{- range $name, $value := .Values.server.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "authz.volumeMounts" -}}
{{- with .Values.server.extraVolumeMounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "authz.volumes" -}}
{{- with .Values.server.extraVolumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
