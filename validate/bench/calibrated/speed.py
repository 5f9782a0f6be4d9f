"""Did the processor run as fast in a run as while it was calibrated?

A virtual machine's clock moves by a tenth within seconds, and a neighbour may be given the other half of a core; neither
is a prediction's fault. Both programs probe the same arithmetic (microbench/timing/speed_guard.h), and what is decided
here is decided by those probes alone, never by how far a prediction is off.
"""
import statistics

# How far the speed may be from the calibration's.
NEAR = 0.05


def clock_of(comparison, profile):
    """The processor's speed in the run over that in the calibration; None where a side does not say."""
    calibrated = profile["measured"].get("speed", "")
    ran = comparison["context"].get("speed")
    if not ran or not calibrated:
        return None
    return float(ran) / statistics.median(map(float, calibrated.split("; ")))


def off(clock):
    """How far a run's speed is from the calibration's; as it should be where nobody says."""
    return 0.0 if clock is None else abs(clock - 1)


def at_speed(take, profile, tries):
    """Of up to `tries` runs that `take` makes the first one at speed, else the one nearest to it; and how many."""
    taken = []
    while len(taken) < tries:
        taken.append(take())
        if off(clock_of(taken[-1], profile)) <= NEAR:
            break
    return min(taken, key=lambda comparison: off(clock_of(comparison, profile))), len(taken)
