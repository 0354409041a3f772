package dev.cotenant.deploy;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import java.util.ArrayList;
import java.util.List;

/** The webhooks of a release, of both kinds. */
record Webhooks(List<Webhook> all) {

  /** What the two kinds of webhooks have in common. */
  record Webhook(
      String name,
      WebhookClientConfig client,
      List<RuleWithOperations> rules,
      List<MatchCondition> conditions,
      Answer answer,
      Scope scope) {}

  /** What is made of its answer. */
  record Answer(
      String failurePolicy,
      int timeoutSeconds,
      String matchPolicy,
      String sideEffects,
      List<String> versions) {}

  /** Whose pods it is asked about. */
  record Scope(LabelSelector namespaces, LabelSelector objects) {}

  static Webhooks of(Manifests objects) {
    List<Webhook> all = new ArrayList<>();
    for (var configuration : objects.all(MutatingWebhookConfiguration.class)) {
      configuration.getWebhooks().forEach(webhook -> all.add(of(webhook)));
    }
    for (var configuration : objects.all(ValidatingWebhookConfiguration.class)) {
      configuration.getWebhooks().forEach(webhook -> all.add(of(webhook)));
    }
    return new Webhooks(List.copyOf(all));
  }

  List<WebhookClientConfig> configurations() {
    return all.stream().map(Webhook::client).toList();
  }

  Webhook named(String name) {
    return all.stream()
        .filter(webhook -> webhook.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no webhook " + name));
  }

  private static Webhook of(MutatingWebhook webhook) {
    return new Webhook(
        webhook.getName(),
        webhook.getClientConfig(),
        webhook.getRules(),
        webhook.getMatchConditions(),
        new Answer(
            webhook.getFailurePolicy(),
            webhook.getTimeoutSeconds(),
            webhook.getMatchPolicy(),
            webhook.getSideEffects(),
            webhook.getAdmissionReviewVersions()),
        new Scope(webhook.getNamespaceSelector(), webhook.getObjectSelector()));
  }

  private static Webhook of(ValidatingWebhook webhook) {
    return new Webhook(
        webhook.getName(),
        webhook.getClientConfig(),
        webhook.getRules(),
        webhook.getMatchConditions(),
        new Answer(
            webhook.getFailurePolicy(),
            webhook.getTimeoutSeconds(),
            webhook.getMatchPolicy(),
            webhook.getSideEffects(),
            webhook.getAdmissionReviewVersions()),
        new Scope(webhook.getNamespaceSelector(), webhook.getObjectSelector()));
  }
}
