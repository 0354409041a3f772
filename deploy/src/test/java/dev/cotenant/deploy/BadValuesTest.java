package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that cannot work are refused, and the message names the key. */
class BadValuesTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          replicas: 3                                   | Additional property replicas is not allowed
          replicaCount: two                             | replicaCount: Invalid type. Expected: integer
          replicaCount: 0                               | replicaCount: Must be greater than or equal to 1
          replicaCount: 2.5                             | replicaCount: Invalid type. Expected: integer
          policy: {mode: Enforced}                      | policy.mode must be one of the following
          policy: {mode: enforce, modes: x}             | policy: Additional property modes is not allowed
          policy: {gpuAssignment: mig}                      | policy.gpuAssignment must be one of the following
          policy: {preemption: always}                  | policy.preemption
          policy: {guard: on}                           | policy.guard
          policy: {guardEvictionsPerHour: -1}           | policy.guardEvictionsPerHour: Must be greater than or equal to 0
          policy: {schedulerName: Mine}                 | policy.schedulerName: Does not match pattern
          policy: {maxWait: ten minutes}                | policy.maxWait: Does not match pattern
          policy: {fillTarget: dra}                     | policy.fillTarget must be one of the following
          policy: {fillScope: jobs}                     | policy.fillScope must be one of the following
          kubernetes: {gate: false}                     | kubernetes.gate: must be true where the mode
          policy: {engineBudget: always}                | policy.engineBudget must be one of the following
          models: {hub: models}                         | models.hub: Does not match pattern
          models: {urls: ['http://a/']}                   | models.urls.0: Does not match pattern
          models: {folders: {models: /srv/models}}      | models.folders: Property name of "models" does not match
          models: {folders: {/models: "/srv,/etc"}}     | models.folders./models: Does not match pattern
          policy: {limits: {tenants: 49}}               | policy.limits.tenants: Must be less than or equal to 48
          policy: {limits: {memoryHeadroomPercent: 100}} | policy.limits.memoryHeadroomPercent: Must be less than 100
          policy: {limits: {slowdown: 0.9}}             | policy.limits.slowdown: Must be greater than or equal to 1
          policy: {devices: {a100: {memory: 1}}}        | policy.devices.a100: Additional property memory is not allowed
          policies: {research: {mode: shadow}}          | policies.research: namespaces is required
          policies: {Research: {namespaces: [a]}}       | policies: Property name of "Research" does not match
          policies: {default: {namespaces: [a]}}        | policies: Property name of "default" does not match
          policies: {research: {namespaces: []}}        | policies.research.namespaces: Array must have at least 1 items
          webhook: {failurePolicy: ignore}              | webhook.failurePolicy must be one of the following
          webhook: {timeoutSeconds: 31}                 | webhook.timeoutSeconds: Must be less than or equal to 30
          webhook: {port: 443}                          | webhook.port: Must be greater than or equal to 1024
          webhook: {clientCa: {file: ca.crt}}           | webhook.clientCa: Additional property file is not allowed
          rest: {allowedHosts: ["http://box"]}          | rest.allowedHosts.0: Does not match pattern
          webhook: {matchConditions: [{name: x}]}       | webhook.matchConditions.0: expression is required
          prometheus: {url: prometheus:9090}            | prometheus.url: Does not match pattern
          prometheus: {window: 1 hour}                  | prometheus.window: Does not match pattern
          forecast: {policy: forever}                   | forecast.policy must be one of the following
          database: {url: "jdbc:mysql://db/x"}          | database.url: Does not match pattern
          log: {format: xml}                            | log.format must be one of the following
          traces: {endpoint: collector:4318}            | traces.endpoint: Does not match pattern
          traces: {share: 2}                            | traces.share: Must be less than or equal to 1
          database: {password: secret}                  | database: Additional property password is not allowed
          image: {digest: "sha256:abc"}                 | image.digest: Does not match pattern
          image: {pullPolicy: always}                   | image.pullPolicy must be one of the following
          certs: {validDays: 1}                         | certs.validDays: Must be greater than or equal to 30
          certs: {existingSecret: Webhook_TLS}          | certs.existingSecret: Does not match pattern
          extraConfiguration: {limits.tenants: 3}       | extraConfiguration: Property name of "limits.tenants" does not match
          scheduler: {image: {tag: latest}}             | scheduler.image.tag: Does not match pattern
          scheduler: {weight: 0}                        | scheduler.weight: Must be greater than or equal to 1
          serviceMonitor: {enabled: "yes"}              | serviceMonitor.enabled: Invalid type. Expected: boolean
          """)
  void refusesWhatTheSchemaDoesNotAllow(String values, String message) {
    assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          policy: {mode: immediate}                               | replicaCount must be 1, is 2
          policies: {a: {namespaces: [a], mode: immediate}}       | replicaCount must be 1, is 2
          {replicaCount: 1, policies: {a: {namespaces: [a], mode: immediate}}} | immediate keeps its grants in the process and enforce in the cluster
          {certManager: {enabled: true}, certs: {existingSecret: x, caBundle: AA==}} | either certManager.enabled or certs.existingSecret
          certs: {existingSecret: x}                              | certs.caBundle: say who signed
          policy: {outOfMemory: resubmit}                         | rbac.deletePods
          policies: {a: {namespaces: [a], outOfMemory: resubmit}} | rbac.deletePods
          policy: {unschedulable: resubmit}                       | rbac.deletePods
          policies: {a: {namespaces: [a], unschedulable: resubmit}} | rbac.deletePods
          policy: {gpuAssignment: hami, schedulerName: mine}          | schedulerName: a scheduler that calls the extender cannot place pods with GPU assignment hami (policy policy)
          policies: {a: {namespaces: [a], gpuAssignment: dra, schedulerName: mine}} | with GPU assignment dra (policy a)
          {replicaCount: 1, policy: {mode: immediate}, scheduler: {enabled: true}} | scheduler.enabled: mode immediate
          {webhook: {enabled: false}, scheduler: {enabled: true}} | scheduler.enabled: the extender is on the port of the webhooks
          scheduler: {enabled: true, name: default-scheduler}     | scheduler.name: default-scheduler is the cluster's own
          {scheduler: {enabled: true}, extraConfiguration: {cotenant.rest.tokens-file: /t}} | cotenant.rest.tokens-file is the chart's
          webhook: {clientCa: {secret: a, configMap: b}}          | webhook.clientCa: either configMap or secret
          devices: {configMap: a, csv: b}                         | devices: either configMap or csv
          webhook: {clientNames: [kube-apiserver]}                | webhook.clientNames: name who signs
          networkPolicy: {callersFrom: [{podSelector: {}}]}       | networkPolicy.callersFrom: without
          serviceAccount: {create: false}                         | serviceAccount.name: name an account
          """)
  void refusesWhatCannotWorkTogether(String values, String message) {
    assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(message);
  }
}
