package dev.cotenant.e2e;

/** Node and GPU are chosen by the gate; the stock scheduler binds. */
class GatePlacementIT extends SchedulingScenarios {
  @Override
  String namespace(Stage stage) {
    return stage.names().team();
  }
}
