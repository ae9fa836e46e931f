"""Barriers in shared memory, and the rings of stages that producers and consumers share."""

from typing import Any, NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64
from cutlass.cute import arch
from cutlass.memory import SmemAllocator


class BarrierTable(NamedTuple):
    """The mbarriers of a kernel, which declares a `NamedTuple` with a field for each of them.

    Attributes:
        numbers: such a tuple, of each barrier how many there are, one to a stage.
        arrivals: such a tuple, of each how many arrivals complete a phase. Bytes that TMA copies
            are counted besides; a commit of tensor cores is one arrival.
    """

    numbers: Any
    arrivals: Any

    def allocate(self, allocator: SmemAllocator) -> Any:
        """The barriers, not yet initialized: such a tuple of pointers, one after the other."""
        first = allocator.allocate_array(Int64, sum(self.numbers))
        starts = (sum(self.numbers[:i]) for i in range(len(self.numbers)))
        return type(self.numbers)(*(first + start for start in starts))

    def init(self, barriers: Any) -> None:
        """Initializes them, by one thread."""
        for barrier, number, arrivals in zip(barriers, self.numbers, self.arrivals, strict=True):
            for i in range(number):
                arch.mbarrier_init(barrier + i, arrivals)


class Ring(NamedTuple):
    """Stages that producers fill and consumers empty, by turns.

    A use of a stage has a *phase*, the parity of how often the stage was used before: see
    `two_stages` and `next_use`.

    Attributes:
        full: the barriers that producers arrive at, with their copies.
        empty: the barriers that consumers arrive at.
    """

    full: cute.Pointer
    empty: cute.Pointer

    def acquire(self, stage: Int32, phase: Int32) -> None:
        """Waits, as a producer, until the use before has been released; never for the first."""
        arch.mbarrier_wait(self.empty + stage, phase ^ 1)

    def publish(self, stage: Int32) -> None:
        """An arrival of each calling thread: what it wrote to the stage is there."""
        arch.mbarrier_arrive(self.full + stage)

    def wait(self, stage: Int32, phase: Int32) -> None:
        """Waits, as a consumer, until the stage is full."""
        arch.mbarrier_wait(self.full + stage, phase)

    @cute.jit
    def release(self, stage: Int32) -> None:
        """One arrival of the calling warp, whose lanes have read the stage."""
        arch.sync_warp()
        if arch.lane_idx() == 0:
            arch.mbarrier_arrive(self.empty + stage)

    def release_lane(self, stage: Int32) -> None:
        """An arrival of each calling thread, which has read the stage."""
        arch.mbarrier_arrive(self.empty + stage)


def next_use(stage: Int32, phase: Int32, stages: int) -> tuple[Int32, Int32]:
    """Stage and phase of the use of a ring after one of them."""
    if stages == 2:
        return stage ^ 1, phase ^ stage
    stage = stage + 1
    wrapped = stage == stages
    return cutlass.select_(wrapped, 0, stage), cutlass.select_(wrapped, phase ^ 1, phase)


def two_stages(count: Int32) -> tuple[Int32, Int32]:
    """Stage and phase of use number `count` of a ring of two stages."""
    return count & 1, (count >> 1) & 1
