package dev.cotenant.service.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.service.SeparateService;
import dev.cotenant.service.tracing.FakeCollector.Received;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.List;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

/** A review over HTTPS in mode immediate, and its trace as a collector receives it. */
@QuarkusTest
@TestProfile(SeparateService.class)
class TracedReviewTest {
  private static final String COLLECTOR = "cotenant.traces.endpoint";

  @Inject WebhookServer server;

  @Test
  void oneReviewIsOneConnectedTrace() throws IOException {
    String body =
        new WebhookClient(server.port())
            .post("/webhooks/mutate", WebhookClient.review("resnet18", 1))
            .body();
    ObjectMapper json = new ObjectMapper();
    JsonNode patch = json.readTree(json.readTree(body).at("/response/patch").binaryValue());
    String id = patch.findValue("value").asText();
    Eventually.holds("the trace arrives", () -> of(id).size() == 4);

    List<Received> trace = of(id);
    Received review =
        trace.stream().filter(span -> span.parent().isEmpty()).findFirst().orElseThrow();
    assertThat(review.name()).isEqualTo("review mutate");
    assertThat(id).as("admission id").isEqualTo(review.trace() + review.id());
    assertThat(trace)
        .filteredOn(span -> !span.equals(review))
        .allSatisfy(span -> assertThat(span.parent()).isEqualTo(review.id()))
        .extracting(Received::name)
        .containsExactly("predict", "decide", "patch");
  }

  private static List<Received> of(String id) {
    String url = ConfigProvider.getConfig().getValue(COLLECTOR, String.class);
    return FakeCollector.receivedBy(url).stream()
        .filter(span -> id.startsWith(span.trace()))
        .toList();
  }
}
