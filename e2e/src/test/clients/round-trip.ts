// Calls the service at an address through the generated client; prints what it answers.
import { Configuration, DecisionsApi, PredictionsApi, ResponseError } from "./client";
import { ProblemViewFromJSON } from "./client/models";

declare const process: { argv: string[] };

async function roundTrip(): Promise<void> {
  const configuration = new Configuration({ basePath: process.argv[2] });
  const predictions = new PredictionsApi(configuration);
  const { devices } = await predictions.getDevices();
  const a100 = devices.find((device) => device.id === "a100-40gb");
  console.log(`${a100?.productName} ${a100?.memoryBytes}`);

  const predictionDocument = { model: "resnet50", device: "a100-40gb", batchSize: 8 };
  const answer = await predictions.postPredictions({ predictionDocument });
  console.log(`${answer.modelVersion} ${answer.peakMemoryBytes?.mean}`);

  const workload = { model: "resnet50", batchSize: 8 };
  const { decision } = await new DecisionsApi(configuration).postDecisions({ whatIfDocument: { workload } });
  console.log(`${decision.result} ${decision.reasons.length}`);

  try {
    await predictions.postPredictions({ predictionDocument: { ...predictionDocument, model: "no-such-model" } });
  } catch (error) {
    if (!(error instanceof ResponseError)) {
      throw error;
    }
    console.log(`${error.response.status} ${ProblemViewFromJSON(await error.response.json()).code}`);
  }
}

roundTrip();
