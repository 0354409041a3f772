import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.client.ApiClient;
import dev.cotenant.client.ApiException;
import dev.cotenant.client.api.DecisionsApi;
import dev.cotenant.client.api.PredictionsApi;
import dev.cotenant.client.model.DeviceView;
import dev.cotenant.client.model.PostPredictionsAnswer;
import dev.cotenant.client.model.PredictionDocument;
import dev.cotenant.client.model.ProblemView;
import dev.cotenant.client.model.WhatIfDocument;
import dev.cotenant.client.model.WhatIfView;
import dev.cotenant.client.model.WorkloadDocument;

/** Calls the service at an address through the generated client; prints what it answers. */
public final class RoundTrip {
  private RoundTrip() {}

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    PredictionsApi predictions = new PredictionsApi(client);
    DeviceView a100 =
        predictions.getDevices().getDevices().stream()
            .filter(device -> device.getId().equals("a100-40gb"))
            .findFirst()
            .orElseThrow();
    System.out.println(a100.getProductName() + " " + a100.getMemoryBytes());

    PredictionDocument question =
        new PredictionDocument().model("resnet50").device("a100-40gb").batchSize(8);
    PostPredictionsAnswer answer =
        predictions.postPredictions(
            PredictionsApi.APIPostPredictionsRequest.newBuilder()
                .predictionDocument(question)
                .build());
    System.out.println(
        answer.getModelVersion() + " " + answer.getPeakMemoryBytes().getMean().longValue());

    WorkloadDocument workload = new WorkloadDocument().model("resnet50").batchSize(8);
    WhatIfView decided =
        new DecisionsApi(client)
            .postDecisions(
                DecisionsApi.APIPostDecisionsRequest.newBuilder()
                    .whatIfDocument(new WhatIfDocument().workload(workload))
                    .build());
    System.out.println(
        decided.getDecision().getResult() + " " + decided.getDecision().getReasons().size());

    try {
      predictions.postPredictions(
          PredictionsApi.APIPostPredictionsRequest.newBuilder()
              .predictionDocument(question.model("no-such-model"))
              .build());
    } catch (ApiException refused) {
      ProblemView problem =
          new ObjectMapper().readValue(refused.getResponseBody(), ProblemView.class);
      System.out.println(refused.getCode() + " " + problem.getCode());
    }
  }
}
