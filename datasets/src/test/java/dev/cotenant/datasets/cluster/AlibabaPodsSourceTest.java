package dev.cotenant.datasets.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlibabaPodsSourceTest {
  private static final String NODES = "openb_node_list_gpu_node.csv";
  private static final String PODS = "openb_pod_list_default.csv";
  private static final String NODE =
      """
      sn,cpu_milli,memory_mib,gpu,model
      node-0,64000,262144,2,P100
      """;
  private static final String HEADER =
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
          + "deletion_time,scheduled_time\n";

  @TempDir private Path folder = Path.of("");

  private Path trace(String nodes, String pods) throws IOException {
    Files.writeString(folder.resolve(NODES), nodes);
    return Files.writeString(folder.resolve(PODS), HEADER + pods);
  }

  @Test
  void readsNodesAndPodsInTheOrderInWhichTheyCame() throws IOException {
    trace(
        NODE,
        """
        late,6000,12288,1,460,,LS,Running,427,129,427
        whole,12000,16384,8,1000,G2|G3,LS,Running,3,125,0
        early,12000,16384,0,0,,BE,Failed,3,,
        """);

    ClusterTrace trace = new AlibabaPodsSource(folder).read();

    assertThat(trace.nodes())
        .containsExactly(new ClusterTrace.Node("node-0", 64_000, MemorySize.ofGiB(256), 2, "P100"));
    assertThat(trace.pods())
        .containsExactly(
            new ClusterTrace.Pod("early", 12_000, MemorySize.ofGiB(16), 0, 0, List.of(), 3),
            new ClusterTrace.Pod(
                "whole", 12_000, MemorySize.ofGiB(16), 8, 1000, List.of("G2", "G3"), 3),
            new ClusterTrace.Pod("late", 6_000, MemorySize.ofGiB(12), 1, 460, List.of(), 427));
    assertThat(trace.rejected()).isEmpty();
  }

  @Test
  void findsTheNodesBesideAListOfPods() throws IOException {
    Path pods = trace(NODE, "a,1,1,1,1,,LS,Running,0,1,0\n");

    assertThat(new AlibabaPodsSource(pods).read().nodes()).hasSize(1);
  }

  @Test
  void saysWhichRowsItCannotUse() throws IOException {
    trace(
        NODE + "node-0,1,1,1,T4\nnode-1,1,1,-1,T4\nnode-2,1\n",
        """
        a,1,1,1,500,,LS,Running,0,1,0
        a,1,1,1,500,,LS,Running,0,1,0
        b,1,1,2,500,,LS,Running,0,1,0
        c,1,1,1,0,,LS,Running,0,1,0
        d,1,1,1,1001,,LS,Running,0,1,0
        e,9999999999999999999,1,1,1,,LS,Running,0,1,0
        f,1,1e3,1,1,,LS,Running,0,1,0
        ,1,1,1,1,,LS,Running,0,1,0
        g,1,1,1,1,,LS,Running,NaN,1,0
        """);

    ClusterTrace trace = new AlibabaPodsSource(folder).read();

    assertThat(trace.pods()).hasSize(1);
    assertThat(trace.rejected())
        .hasSize(11)
        .allSatisfy(line -> assertThat(line).matches(".*\\.csv:[0-9]+: .*"))
        .anyMatch(line -> line.endsWith("name 'a' is listed twice"))
        .anyMatch(line -> line.endsWith("it requests parts of 2 GPUs"))
        .anyMatch(line -> line.endsWith("num_gpu is 1 but gpu_milli is 0"));
  }

  @Test
  void refusesWhatIsNoTrace() throws IOException {
    assertThatThrownBy(() -> new AlibabaPodsSource(folder.resolve("none")).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("does not exist");
    trace("sn,cpu_milli\n", "");
    assertThatThrownBy(() -> new AlibabaPodsSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("memory_mib, gpu, model");
    trace(NODE, "");
    assertThatThrownBy(() -> new AlibabaPodsSource(folder).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("holds no pod");
    Files.write(folder.resolve(PODS), new byte[] {(byte) 0xff, 0, 1, 2});
    assertThatThrownBy(() -> new AlibabaPodsSource(folder).read())
        .isInstanceOf(InputException.class);
  }

  @Test
  void readsThePublishedTrace() {
    ClusterTrace trace =
        new AlibabaPodsSource(OutsideData.require("data/alibaba/gpu-v2023")).read();

    assertThat(trace.nodes()).hasSize(1_213);
    assertThat(trace.nodes().stream().mapToInt(ClusterTrace.Node::gpus).sum()).isEqualTo(6_212);
    assertThat(trace.pods()).hasSize(8_152);
    assertThat(trace.pods().stream().filter(ClusterTrace.Pod::isShare)).hasSize(3_078);
    assertThat(trace.rejected()).isEmpty();
  }
}
