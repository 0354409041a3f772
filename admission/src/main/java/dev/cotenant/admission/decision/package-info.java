/** Decisions about pods: their placement requests, and the order of the reasons of a refusal. */
@NullMarked
package dev.cotenant.admission.decision;

import org.jspecify.annotations.NullMarked;
