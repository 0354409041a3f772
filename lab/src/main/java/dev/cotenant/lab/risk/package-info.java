/** Risk rules judged on measured pairs of jobs that the model has not seen. */
@NullMarked
package dev.cotenant.lab.risk;

import org.jspecify.annotations.NullMarked;
