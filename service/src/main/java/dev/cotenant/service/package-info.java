/** Cotenant as a service: the parts, composed by Quarkus. */
@NullMarked
package dev.cotenant.service;

import org.jspecify.annotations.NullMarked;
