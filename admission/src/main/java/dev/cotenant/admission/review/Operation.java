package dev.cotenant.admission.review;

/** What is being done to the object. */
public enum Operation {
  CREATE,
  UPDATE,
  DELETE,
  CONNECT
}
