package dev.cotenant.admission.kubernetes.read;

import dev.cotenant.domain.testing.Fuzzer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class ObjectsFuzzTest {
  private static final String POD =
      "{'metadata':{'name':'p','namespace':'a','uid':'u','creationTimestamp':'2026-01-01T00:00:00Z',"
          + "'annotations':{'cotenant.dev/model':'m','cotenant.dev/batch-size':'8',"
          + "'cotenant.dev/gpu-memory':'8Gi'}},'spec':{'nodeName':'n','containers':[{'name':'c',"
          + "'image':'vllm/vllm-openai:v1','args':['--model=x'],'resources':{'limits':"
          + "{'nvidia.com/gpu':'1','cpu':'500m','memory':'1.5e3Mi'}}}],'tolerations':[],"
          + "'schedulingGates':[{'name':'cotenant.dev/colocation'}]},'status':{'phase':'Running',"
          + "'containerStatuses':[{'name':'c','lastState':{'terminated':{'exitCode':137,"
          + "'reason':'OOMKilled'}}}]}}";
  private static final String NODE =
      "{'metadata':{'name':'n','labels':{'nvidia.com/gpu.product':'NVIDIA-A100-SXM4-40GB'}},"
          + "'spec':{'taints':[{'key':'a','effect':'NoSchedule'}]},'status':{'allocatable':"
          + "{'nvidia.com/gpu':'8','cpu':'64','memory':'256Gi'},'conditions':"
          + "[{'type':'Ready','status':'True'}]}}";
  private static final String SLICE =
      "{'metadata':{'name':'s'},'spec':{'driver':'gpu.nvidia.com','nodeName':'n','pool':{'name':'p',"
          + "'generation':1},'devices':[{'name':'gpu-0','attributes':{'uuid':{'string':'GPU-1'}}}]},"
          + "'status':{'allocation':{'devices':{'results':[{'driver':'gpu.nvidia.com','pool':'p',"
          + "'device':'gpu-0'}]}}}}";

  @Test
  void letsNothingOutOfTheReadersOfObjects() throws Exception {
    Fuzzer.run(
        ObjectsFuzzTarget.class,
        Map.of("pod", json(POD), "node", json(NODE), "slice", json(SLICE)),
        1 << 13,
        Duration.ofSeconds(60));
  }

  private static byte[] json(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
