package dev.cotenant.admission.review;

public enum Operation {
  CREATE,
  UPDATE,
  DELETE,
  CONNECT
}
