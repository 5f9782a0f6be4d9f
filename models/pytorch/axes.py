"""What the axes of a tensor of PyTorch stand for.

An axis is a product of factors (letter, extent), the outermost first: n samples, c channels, d h w positions
in space, s positions in a sequence. Of the windows of a Swin transformer, (batch * 64) x 49 x 96, the first
axis is (n, s64). A transpose, a view of heads and the like only rename, as no figure of a layer depends on
the order in memory.
"""
import math

SPACE = "dhw"


class Refused(Exception):
    """What cannot be written, with a remedy."""


class Otherwise(Exception):
    """The input has its channels last."""


def axis(*factors):
    """Factors that follow each other and have one meaning are one; of samples alone a 1 is kept."""
    merged = []
    for letter, extent in factors:
        if extent == 1 and letter != "n":
            continue
        if merged and merged[-1][0] == letter:
            merged[-1] = (letter, merged[-1][1] * extent)
        else:
            merged.append((letter, extent))
    return tuple(merged)


def extent(axis_, samples=True):
    return math.prod(size for letter, size in axis_ if samples or letter != "n")


def has_samples(axis_):
    return any(letter == "n" for letter, _ in axis_)


def is_all(axis_, letters):
    return all(letter in letters for letter, _ in axis_ if letter != "n")


def renamed(axis_, letter):
    """The same with another meaning of all but the samples."""
    return axis(*((each if each == "n" else letter, size) for each, size in axis_))


def shape_of(axes):
    shape = dict.fromkeys("cdhws", 1)
    for letter, size in (factor for each in axes for factor in each):
        if letter != "n":
            shape[letter] *= size
    return shape


def joined(factors):
    """What a run of factors stands for when it is one axis."""
    letters = {letter for letter, _ in factors} - {"n"}
    return "c" if not letters or "c" in letters else letters.pop() if len(letters) == 1 else "s"


def share_out(factors, sizes):
    """Axes of these sizes for a run of factors with as many elements."""
    at = next((i for i, (letter, _) in enumerate(factors) if letter == "n"), None)
    if at is None:
        return [axis((joined(factors), size)) for size in sizes]
    samples, outer, inner = factors[at], joined(factors[:at]), joined(factors[at + 1 :])
    left, axes, placed = math.prod(size for _, size in factors[:at]), [], False
    for size in sizes:
        if not placed and size % left == 0 and size // left % samples[1] == 0:
            axes.append(axis((outer, left), samples, (inner, size // left // samples[1])))
            placed = True
        elif placed or left % size == 0:
            axes.append(axis((inner if placed else outer, size)))
            left = left if placed else left // size
        else:
            raise Refused("takes the samples of the batch apart; keep the batch an axis of its own")
    return axes


def reshaped(axes, sizes):
    """Axes of these sizes for the same elements in the same order."""
    factors, made, read, at = [factor for each in axes for factor in each], [], 0, 0
    while at < len(sizes):
        begin, first = read, at
        inside, outside = 1, sizes[at]
        at += 1
        while inside != outside:
            if inside < outside:
                inside *= factors[read][1]
                read += 1
            else:
                outside *= sizes[at]
                at += 1
        made += share_out(factors[begin:read], sizes[first:at])
    if any(extent(got) != size for got, size in zip(made, sizes)) or read != len(factors):
        raise Refused("is a view that could not be followed")
    return made
