package dev.cotenant.admission.kubernetes.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.cluster.BoundClaim;
import dev.cotenant.admission.cluster.BoundVolume;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.NodeRequirements.Term;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.domain.InputException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VolumeReaderTest {
  @Test
  void readsVolumesThatOnlySomeNodesReach() {
    assertThat(
            VolumeReader.volume(
                Manifests.json(
                    """
                    {"metadata": {"name": "pv-1"}, "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [
                      {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]}}}}
                    """)))
        .hasValue(
            new BoundVolume(
                "pv-1",
                List.of(
                    new Term(
                        List.of(new Expression("zone", Operator.IN, Set.of("b"))), List.of()))));
    assertThat(VolumeReader.volume(Manifests.json("{\"metadata\": {\"name\": \"nfs\"}}")))
        .isEmpty();
  }

  @Test
  void readsBoundClaims() {
    String claim =
        "{\"metadata\": {\"name\": \"data\", \"namespace\": \"team\"}, \"spec\": {\"volumeName\":"
            + " \"pv-1\"}}";

    assertThat(VolumeReader.claim(Manifests.json(claim)))
        .hasValue(new BoundClaim("team/data", "pv-1"));
    assertThat(VolumeReader.claim(Manifests.json(claim.replace("volumeName", "other")))).isEmpty();
    assertThatThrownBy(() -> VolumeReader.claim(Manifests.json("{\"metadata\": []}")))
        .isInstanceOf(InputException.class);
  }
}
