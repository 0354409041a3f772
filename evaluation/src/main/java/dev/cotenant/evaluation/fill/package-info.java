/**
 * What filling predicted memory into requests would have freed, and which runs it would have ended.
 */
@NullMarked
package dev.cotenant.evaluation.fill;

import org.jspecify.annotations.NullMarked;
