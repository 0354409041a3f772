package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What every pod of a release keeps to: the restricted pod security standard, and mounts that
 * exist.
 */
final class PodRules {
  private PodRules() {}

  static void check(Manifests objects) {
    for (PodSpec pod : pods(objects)) {
      restricted(pod);
      mounts(pod);
      pod.getContainers().forEach(PodRules::container);
    }
  }

  static List<PodSpec> pods(Manifests objects) {
    List<PodSpec> pods = new ArrayList<>();
    objects
        .all(Deployment.class)
        .forEach(deployment -> pods.add(deployment.getSpec().getTemplate().getSpec()));
    objects.all(Job.class).forEach(job -> pods.add(job.getSpec().getTemplate().getSpec()));
    objects.all(Pod.class).forEach(pod -> pods.add(pod.getSpec()));
    return pods;
  }

  private static void restricted(PodSpec pod) {
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(pod.getVolumes()).allMatch(volume -> volume.getHostPath() == null);
    assertThat(pod.getHostPID()).isNull();
    assertThat(pod.getHostIPC()).isNull();
  }

  private static void container(Container container) {
    var security = container.getSecurityContext();
    assertThat(security.getAllowPrivilegeEscalation()).isFalse();
    assertThat(security.getReadOnlyRootFilesystem()).isTrue();
    assertThat(security.getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(security.getCapabilities().getAdd()).isEmpty();
    assertThat(security.getPrivileged()).isNull();
    assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
    assertThat(container.getResources().getLimits()).containsKey("memory");
    Set<String> ports =
        container.getPorts().stream().map(ContainerPort::getName).collect(Collectors.toSet());
    Stream.of(
            container.getStartupProbe(),
            container.getLivenessProbe(),
            container.getReadinessProbe())
        .filter(Objects::nonNull)
        .map(PodRules::port)
        .forEach(port -> assertThat(ports).contains(port));
  }

  private static String port(Probe probe) {
    return probe.getHttpGet().getPort().getStrVal();
  }

  private static void mounts(PodSpec pod) {
    List<VolumeMount> mounts =
        pod.getContainers().stream().flatMap(c -> c.getVolumeMounts().stream()).toList();
    assertThat(mounts.stream().map(VolumeMount::getName).collect(Collectors.toSet()))
        .isEqualTo(pod.getVolumes().stream().map(Volume::getName).collect(Collectors.toSet()));
    // A file mounted by subPath never changes again, a renewed certificate would not be seen.
    assertThat(mounts).allMatch(mount -> mount.getSubPath() == null);
    for (Container container : pod.getContainers()) {
      assertThat(container.getVolumeMounts())
          .extracting(VolumeMount::getMountPath)
          .doesNotHaveDuplicates();
    }
  }
}
