package dev.cotenant.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class OpenApiChangesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DOCUMENT =
      """
      {"paths": {"/v1/gpus": {"post": {
          "operationId": "postGpus",
          "parameters": [{"name": "since", "in": "query"}],
          "requestBody": {"content": {"a": {"schema": {"$ref": "#/components/schemas/Wanted"}}}},
          "responses": {"200": {"content": {"b": {"schema": {"type": "array"}}}}, "404": {}}}}},
       "components": {"schemas": {
          "Wanted": {"properties": {"count": {"type": "integer"}}, "required": ["count"]},
          "Gpu": {"properties": {"uuid": {"type": "string"}, "age": {"type": "integer"}},
                  "required": ["uuid"]}}}}
      """;

  private static JsonNode changed(String text, String by) throws IOException {
    assertThat(DOCUMENT).contains(text);
    return JSON.readTree(DOCUMENT.replace(text, by));
  }

  private static void assertLoss(String text, String by, String loss) throws IOException {
    assertThat(OpenApiChanges.losses(JSON.readTree(DOCUMENT), changed(text, by)))
        .containsExactly(loss);
  }

  @Test
  void findsWhatClientsLose() throws IOException {
    assertLoss("\"post\": {", "\"put\": {", "post /v1/gpus is gone");
    assertLoss("postGpus", "gpus", "post /v1/gpus has another operationId");
    assertLoss(", \"404\": {}", "", "post /v1/gpus no longer answers 404");
    assertLoss("\"b\":", "\"c\":", "post /v1/gpus answers 200 no longer as b");
    assertLoss(
        "\"array\"", "\"object\"", "post /v1/gpus answers 200 as b: is object and was array");
    assertLoss("{\"a\":", "{\"d\":", "post /v1/gpus takes no longer as a");
    assertLoss(
        "\"in\": \"query\"",
        "\"in\": \"query\", \"required\": true",
        "post /v1/gpus now requires since");
    assertLoss(", \"age\": {\"type\": \"integer\"}", "", "Gpu.age is gone");
    assertLoss(
        "{\"uuid\": {\"type\": \"string\"}",
        "{\"uuid\": {\"type\": \"integer\"}",
        "Gpu.uuid is integer and was string");
    assertLoss("[\"uuid\"]", "[]", "Gpu may now be without uuid");
    assertLoss("[\"count\"]", "[\"count\", \"device\"]", "Wanted now requires device");
  }

  @Test
  void allowsAdditions() throws IOException {
    assertThat(
            OpenApiChanges.losses(
                JSON.readTree(DOCUMENT), changed("\"404\": {}", "\"404\": {}, \"409\": {}")))
        .isEmpty();
    assertThat(
            OpenApiChanges.losses(
                JSON.readTree(DOCUMENT), changed("[\"uuid\"]", "[\"uuid\", \"age\"]")))
        .isEmpty();
    assertThat(OpenApiChanges.losses(JSON.readTree(DOCUMENT), changed("[\"count\"]", "[]")))
        .isEmpty();
  }
}
