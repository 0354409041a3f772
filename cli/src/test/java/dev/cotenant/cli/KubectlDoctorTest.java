package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.FakeKubectl.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The report on clusters whose objects are given as the lines that kubectl prints of them. */
class KubectlDoctorTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final String A100 = "NVIDIA-A100-SXM4-40GB";

  @TempDir private Path folder = Path.of("");
  private FakeKubectl cluster;

  @BeforeEach
  void create() throws IOException {
    cluster = new FakeKubectl(ROOT, folder);
    cluster.answer("version", "{\n  \"major\": \"1\",\n  \"gitVersion\": \"v1.34.1\"\n}\n");
    cluster.answer("daemonsets", daemon("nvcr.io/nvidia/k8s/dcgm-exporter:4.2.0", ""));
  }

  private static String daemon(String image, String strategy) {
    return "daemon\tgpu/it\t" + image + "\t1\t" + strategy + "\n";
  }

  /** A node with GPUs that the device plugin offers so many times each. */
  private static String node(String name, int gpus, int replicas) {
    return String.join(
            "\t",
            "node",
            name,
            A100,
            Integer.toString(gpus),
            replicas > 1 ? Integer.toString(replicas) : "<no value>",
            replicas > 1 ? "time-slicing" : "none",
            "580.95",
            Integer.toString(gpus * replicas),
            "<no value>",
            "cpu memory nvidia.com/gpu ",
            "")
        + "\n";
  }

  private void install(String configuration) throws IOException {
    cluster.answer("mutatingwebhookconfigurations", "webhook\tsharing\tIgnore\tsys/sharing\n");
    cluster.answer("deployments", "deployment\tsys/sharing\tghcr.io/cotenant\t2\t2\n");
    cluster.answer("pods", "leader\tsharing-1\n");
    cluster.answer("namespaces", "opted-in\tteam-a\n");
    cluster.answer("configmap", configuration);
  }

  private static String configuration(String mode, String gpuAssignment) {
    return "cotenant.policy.mode=%s\ncotenant.policy.gpu-assignment=%s\n"
        .formatted(mode, gpuAssignment);
  }

  private Outcome doctor(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 1];
    all[0] = "doctor";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return cluster.run(all);
  }

  @Test
  void saysBeforeTheInstallationWhatWillWork() throws Exception {
    cluster.answer("nodes", node("one", 1, 4) + node("eight", 8, 1));
    Outcome outcome = doctor();

    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out())
        .contains(
            "ok    Kubernetes v1.34.1",
            "1 node: " + A100 + ", 1 GPU offered 4 times each (time-slicing), driver 580.95",
            "1 node: " + A100 + ", 8 GPUs offered once each, driver 580.95",
            "node-only        partly: GPUs are shared on 1 of 2 GPU nodes",
            "hami             no: HAMi is not installed",
            "dra              no: the API server does not serve resource.k8s.io/v1",
            "visible-devices  partly",
            "not installed: nothing is enforced")
        .endsWith("Result: every enforced policy works.\n");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4, yes, 'every GPU node has one GPU, which the device plugin offers several times'",
    "1, 1, no, 'gives each GPU to one container only'",
    "8, 1, no, 'every GPU node has several GPUs'",
    "8, 4, no, 'every GPU node has several GPUs'",
  })
  void judgesNodeOnlyByTheShapeOfNodes(int gpus, int replicas, String result, String reason)
      throws Exception {
    cluster.answer("nodes", node("a", gpus, replicas) + node("b", gpus, replicas));
    Outcome outcome = doctor("--gpu-assignment", "node-only");

    assertThat(outcome.out()).contains("node-only        " + result + ": ").contains(reason);
    assertThat(outcome.exitCode()).isEqualTo(result.equals("no") ? 1 : 0);
    assertThat(outcome.out().contains("  FAIL  --gpu-assignment uses GPU assignment node-only"))
        .isEqualTo(result.equals("no"));
  }

  @Test
  void knowsThatCdiIgnoresVisibleDevices() throws Exception {
    cluster.answer("nodes", node("a", 1, 4));
    cluster.answer("clusterpolicies", "operator\tcluster-policy\ttrue\ttrue\n");
    assertThat(doctor("--gpu-assignment", "visible-devices").exitCode()).isEqualTo(1);
    assertThat(doctor().out()).contains("visible-devices  no: the GPU operator injects devices");

    cluster.answer("clusterpolicies", "operator\tcluster-policy\tfalse\ttrue\n");
    assertThat(doctor("--gpu-assignment=visible-devices").exitCode()).isZero();

    cluster.answer("daemonsets", daemon("nvcr.io/nvidia/k8s-device-plugin:v0.18", "cdi-cri"));
    assertThat(doctor("--gpu-assignment=visible-devices").out())
        .contains("passes devices by cdi-cri");
  }

  @Test
  void namesTenantsAndIsolationOfEachPolicy() throws Exception {
    String own = configuration("enforce", "node-only") + "cotenant.policies.lab.mode=enforce\n";
    install(own + "cotenant.policies.lab.trust-domain=lab\n");
    cluster.answer("nodes", node("a", 1, 4));
    assertThat(doctor().out())
        .contains(
            "ok    the default policy (mode enforce): GPUs are shared within a namespace;"
                + " time-slicing limits no memory, and faults are not isolated",
            "ok    policy lab (mode enforce): GPUs are shared among the namespaces of trust domain"
                + " lab; time-slicing");

    cluster.answer("nodes", node("a", 1, 4).replace("time-slicing", "mps"));
    assertThat(doctor().out()).contains("a fatal fault of one pod ends the others on its GPU");
    install(configuration("enforce", "hami"));
    assertThat(doctor().out()).contains("within a namespace; the library of HAMi limits memory");
    install(configuration("enforce", "dra") + "cotenant.policy.claims.sharing=mps\n");
    cluster.answer("nodes", node("a", 1, 4));
    assertThat(doctor().out()).contains("within a namespace; MPS limits memory");
  }

  @Test
  void wantsApiClassAndSlicesForDra() throws Exception {
    cluster.answer("api-versions", "apps/v1\nresource.k8s.io/v1beta1\n");
    assertThat(doctor().out()).contains("dra              no", "only v1beta1");
    cluster.answer("api-versions", "apps/v1\nresource.k8s.io/v1\n");
    assertThat(doctor().out()).contains("there is no DeviceClass gpu.nvidia.com");
    cluster.answer("deviceclasses", "class\tgpu.nvidia.com\n");
    assertThat(doctor().out()).contains("no ResourceSlice of driver gpu.nvidia.com");
    cluster.answer("resourceslices", "slice\tother\tx\nslice\tgpu.nvidia.com\ta\n");
    assertThat(doctor("--gpu-assignment", "dra").exitCode()).isZero();
    cluster.answer("nodes", node("a", 8, 1));
    assertThat(doctor().out()).contains("dra              partly", "a GPU could be given twice");
  }

  @Test
  void findsHamiByTheNodesThatItHasRegistered() throws Exception {
    cluster.answer("nodes", node("a", 8, 10).replaceFirst("\n$", "hami\n"));
    assertThat(doctor("--gpu-assignment", "hami").out())
        .contains("hami             yes: HAMi has registered the GPUs of 1 node");
    cluster.answer("nodes", node("a", 8, 10));
    cluster.answer("daemonsets", daemon("docker.io/projecthami/hami:v2.10", ""));
    assertThat(doctor().out()).contains("no: gpu/it runs, but no node has registered GPUs");
  }

  @Test
  void failsWhereAnEnforcedPolicyCannotWork() throws Exception {
    cluster.answer("nodes", node("a", 8, 1));
    install(configuration("enforce", "node-only"));
    Outcome outcome = doctor();

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.out())
        .contains(
            "ok    webhooks sharing, failurePolicy Ignore",
            "ok    sys/sharing: 2/2 replicas ready",
            "FAIL  the default policy (mode enforce) uses GPU assignment node-only: every GPU node"
                + " has several GPUs",
            "-> use hami or dra")
        .endsWith("see FAIL.\n");

    install(configuration("shadow", "node-only"));
    assertThat(doctor().exitCode()).isZero();
    install(
        configuration("shadow", "node-only")
            + "cotenant.policies.research.mode=enforce\n"
            + "cotenant.policies.research.gpu-assignment=hami\n");
    assertThat(doctor().out())
        .contains("FAIL  policy research (mode enforce) uses GPU assignment hami");
    install(configuration("enforce", "telepathy"));
    assertThat(doctor().out()).contains("FAIL", "GPU assignment telepathy is none");
  }

  private void installScheduler(String image, String ready, Instant renewed) throws IOException {
    install(configuration("enforce", "node-only") + "cotenant.policy.scheduler-name=second\n");
    cluster.answer("nodes", node("a", 1, 4));
    cluster.answer(
        "deployments",
        "deployment\tsys/sharing\tghcr.io/cotenant\t2\t2\t\n"
            + "deployment\tsys/sharing-scheduler\t%s\t%s\t2\tsecond\n".formatted(image, ready));
    cluster.answer(
        "leases",
        "lease\tsys/sharing\tsharing-1\t%s\t15\n".formatted(Instant.now())
            + "lease\tsys/sharing-scheduler\tsecond-x\t%s\t15\n".formatted(renewed));
  }

  @Test
  void saysWhetherTheSchedulerOfAPolicyLeads() throws Exception {
    String image = "registry.k8s.io/kube-scheduler:v1.34.2";
    installScheduler(image, "2", Instant.now());
    Outcome outcome = doctor();
    assertThat(outcome.out())
        .contains("ok    scheduler second of the default policy: second-x leads")
        .doesNotContain("does not fit API server");
    assertThat(outcome.exitCode()).isZero();

    installScheduler(image, "2", Instant.now().minus(Duration.ofDays(400)));
    outcome = doctor();
    assertThat(outcome.out())
        .containsPattern(
            "FAIL  scheduler second of .*: its Lease sys/sharing-scheduler was renewed 3456\\d{4} s"
                + " ago");
    assertThat(outcome.exitCode()).isEqualTo(1);

    installScheduler(image, "", Instant.now());
    assertThat(doctor().out()).contains("FAIL  scheduler second", "0/2 replicas ready");

    installScheduler(image, "2", Instant.now());
    cluster.answer("leases", "");
    assertThat(doctor().out()).contains("FAIL", "there is no Lease sys/sharing-scheduler");
  }

  @ParameterizedTest
  @CsvSource({"33, false", "34, false", "32, true", "35, true"})
  void saysWhereTheSchedulersVersionDoesNotFitTheApiServer(int minor, boolean warned)
      throws Exception {
    installScheduler("x/kube-scheduler:v1." + minor + ".7", "2", Instant.now());
    assertThat(doctor().out().contains("warn  kube-scheduler v1." + minor + " of sys/"))
        .isEqualTo(warned);
  }

  @Test
  void readsTheConfigurationThatTheDeploymentMounts() throws Exception {
    cluster.answer("nodes", node("a", 1, 4));
    install(configuration("enforce", "node-only"));
    cluster.answer("deployment", "sharing-7fk2\ncotenant.policy.scheduler-name=missing\n");
    Outcome outcome = doctor();

    assertThat(outcome.out())
        .contains("ok    the default policy (mode enforce) uses GPU assignment node-only")
        .contains("no Deployment of scheduler missing was found");
    assertThat(cluster.requested()).anyMatch(line -> line.contains("get configmap sharing-7fk2 "));
  }

  @Test
  void saysWhatItCannotSeeOfTheSchedulersOfOthers() throws Exception {
    cluster.answer("nodes", node("a", 1, 4));
    install(
        configuration("enforce", "node-only")
            + "cotenant.policies.a.scheduler-name=default-scheduler\n"
            + "cotenant.policies.b.scheduler-name=missing\n"
            + "cotenant.policies.c.scheduler-name=missing\n"
            + "cotenant.policies.c.mode=shadow\n");
    Outcome outcome = doctor();
    assertThat(outcome.out())
        .contains(
            "ok    the default policy: the gate selects the node",
            "warn  policy a is placed by the default scheduler, whose configuration",
            "warn  no Deployment of scheduler missing was found: pods of policy b wait")
        .doesNotContain("pods of policy c");
    assertThat(outcome.exitCode()).isZero();
  }

  @Test
  void knowsThatTheOperatorUsesCdiFrom2510On() throws Exception {
    cluster.answer("nodes", node("a", 1, 4));
    cluster.answer("clusterpolicies", "operator\tcluster-policy\t<no value>\ttrue\n");
    cluster.answer(
        "deployments", "deployment\tg/op\tnvcr.io/nvidia/gpu-operator:v25.3.4\t1\t1\t\n");
    assertThat(doctor().out()).contains("ClusterPolicy cluster-policy: CDI off");
    cluster.answer(
        "deployments", "deployment\tg/op\tnvcr.io/nvidia/gpu-operator:v25.10.1\t1\t1\t\n");
    assertThat(doctor().out())
        .contains("CDI on, the default from 25.10 on", "visible-devices  no: the GPU operator");
  }

  @Test
  void namesNodesWhoseGpusAreMigInstances() throws Exception {
    cluster.answer(
        "nodes",
        node("a", 7, 1).replace(A100, A100 + "-MIG-1g.5gb").replaceFirst("\n$", "\tsingle\n"));
    assertThat(doctor().out())
        .contains("split by MIG, whose instances are not shared further: a (mig.strategy single)");
  }

  @Test
  void reportsReplicasLeaderAndNamespaces() throws Exception {
    cluster.answer("nodes", node("a", 1, 4));
    install(configuration("enforce", "node-only"));
    cluster.answer("deployments", "deployment\tsys/sharing\tghcr.io/cotenant\t\t2\n");
    cluster.answer("pods", "");
    cluster.answer("namespaces", "");
    Outcome outcome = doctor();

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.out())
        .contains(
            "FAIL  sys/sharing: 0/2 replicas ready",
            "no replica leads",
            "no namespace is opted in");
  }

  @Test
  void namesWhatItMayNotReadAndNoResourceThatTheClusterLacks() throws Exception {
    cluster.refuse("nodes", "Error from server (Forbidden): nodes is forbidden\n");
    cluster.refuse(
        "clusterpolicies", "error: the server doesn't have a resource type \"clusterpolicies\"\n");
    assertThat(doctor().out())
        .contains("warn  cannot read nodes: nodes is forbidden")
        .doesNotContain("clusterpolicies");

    cluster.refuse("version", "The connection to the server 127.0.0.1:1 was refused\n");
    Outcome outcome = doctor();
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.err()).contains("cannot be read", "kubectl config current-context");

    cluster.refuse("context", "error: current-context is not set\n");
    Outcome none = doctor();
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err())
        .contains("no current context", "--context NAME", "--kubeconfig FILE")
        .doesNotContain("127.0.0.1")
        .hasLineCount(1);
    assertThat(doctor("--context", "typed").err()).contains("127.0.0.1:1 was refused");
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void refusesKubernetesWithoutSchedulingGates() throws Exception {
    cluster.answer("version", "{\n  \"gitVersion\": \"v1.28.9+k3s1\"\n}\n");
    assertThat(doctor().exitCode()).isEqualTo(1);
    assertThat(doctor().out()).contains("FAIL  Kubernetes v1.28.9+k3s1 lacks scheduling gates");
  }

  @Test
  void printsNoControlCharactersOfObjects() throws Exception {
    cluster.answer("nodes", node("a\u001b[2J", 1, 1).replace(A100, "\u0007x"));
    assertThat(doctor().out()).doesNotContain("\u001b", "\u0007").contains("x, 1 GPU");
  }
}
