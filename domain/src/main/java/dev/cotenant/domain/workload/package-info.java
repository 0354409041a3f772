/** What runs on a GPU: a model, a batch, a mode, a precision. */
@NullMarked
package dev.cotenant.domain.workload;

import org.jspecify.annotations.NullMarked;
