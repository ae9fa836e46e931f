"""The gradients of a schedule's tensors, which operators take beside their operands: none."""

import dataclasses

from msa.schedule.backward_schedule import MSABackwardSchedule

NO_SCHEDULE_GRADS = (None,) * len(dataclasses.fields(MSABackwardSchedule))
