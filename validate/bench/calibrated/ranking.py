"""Does the prediction find the fastest strategy?

Of the strategies of one network on as many ranks over the same links, with the same batch, the one
predicted to be fastest is chosen. Its loss is by how much it takes longer than the fastest one measured.
"""
import collections

from errors import link_of, step, way_of

# `loss`: measured time of the strategy chosen over that of the best, less 1.
Choice = collections.namedtuple("Choice", "model input ranks link strategies chosen best loss")


def choices(runs):
    """One for each network, ranks and link with more than one strategy, in the order of the runs."""
    groups = collections.defaultdict(list)
    for run in runs:
        groups[run["model"], run["input"], run["ranks"], run["batch"], link_of(run)].append(run)
    found = []
    for (model, size, ranks, _, link), members in groups.items():
        if len(members) < 2:
            continue
        chosen = min(members, key=lambda run: step(run)[0])
        best = min(members, key=lambda run: step(run)[1])
        loss = step(chosen)[1] / step(best)[1] - 1
        found.append(Choice(model, size, ranks, link, len(members), way_of(chosen), way_of(best), loss))
    return found


def sentence(choice):
    link = f" at {choice.link}" if choice.link else ""
    return (
        f"{choice.model} on {choice.ranks} ranks{link}: {choice.chosen} was ranked first of {choice.strategies} "
        f"and took {100 * choice.loss:.1f} % longer than {choice.best}"
    )
