/** Metrics of who takes which part of a GPU. */
@NullMarked
package dev.cotenant.service.rest.chargeback;

import org.jspecify.annotations.NullMarked;
