/**
 * Keeps a fleet of services within its objectives while rates change: what is observed, what is
 * decided, and why.
 */
@NullMarked
package dev.cotenant.serving;

import org.jspecify.annotations.NullMarked;
