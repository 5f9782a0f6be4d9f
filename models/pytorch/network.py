"""The layers that a network of PyTorch is made of, as models/README.md writes them.

A Value is the output of a layer and its axes (axes.py); a layer `reshape` is made where the next one reads
another shape. A Constant is a tensor that is the same for all samples, with the parameters that it is or is
computed from.
"""
import itertools
import math

from .axes import SPACE, Refused, extent, shape_of

# Kinds whose output is written down, and what an attribute of a window is along an axis without one.
SHAPED = ("reshape", "slice", "elementwise", "movement", "reduction", "further_input")

NO_WINDOW = {"kernel": 1, "stride": 1, "dilation": 1, "output": 1}

LOSSES = ("softmax_loss", "mean_squared_loss")

# What is not written, as it is what the kind takes where nothing is.
DEFAULTS = {
    "pad": 0,
    "pad_before": 0,
    "pad_after": 0,
    "output_pad": 0,
    "dilation": 1,
    "groups": 1,
    "bias": True,
    "causal": False,
    "directions": 1,
}


class Constant:
    def __init__(self, sizes, elements, parts=(), empty=False):
        self.empty = empty  # nothing was written to it yet
        self.sizes = tuple(sizes)
        self.elements = elements  # without those that are repeated
        self.parts = tuple(parts)  # of parameters: (name, offset, elements)

    def share(self, begin, size, of):
        """The rows from `begin` on, of as many; of what is computed from parameters all of these."""
        elements = self.elements * size // of
        parts = self.parts
        if sum(part[2] for part in parts) == self.elements and len(parts) == 1:
            parts = [(parts[0][0], parts[0][1] + self.elements * begin // of, elements)]
        return Constant((self.sizes[0] * size // of, *self.sizes[1:]), elements, parts)


class Value:
    def __init__(self, layer, axes, via=None):
        self.layer, self.axes, self.via = layer, list(axes), via

    def sizes(self):
        return [extent(each) for each in self.axes]

    def with_axes(self, axes, via=None):
        return Value(self.layer, axes, via or self.via)


class Network:
    def __init__(self, parameters):
        self.parameters = dict(parameters)  # distinct ones: elements by name
        self.layers, self.names, self.owners, self.seen, self.settled = [], {}, {}, {}, {}
        self.counted = {}  # of each parameter, the elements that layers have
        self.place, self.operator, self.notes = "", "", []

    def name_for(self, wanted):
        name = "".join(each if each.isascii() and (each.isalnum() or each in "_.-") else "_" for each in wanted)
        name = name[-120:] or "layer"
        self.names[name] = self.names.get(name, -1) + 1
        return self.name_for(f"{name}_{self.names[name]}") if self.names[name] else name

    def add(self, kind, inputs, axes, attributes=None, weights=(), name=None):
        """A layer; each weight is (name, elements, constants that it is or is computed from)."""
        layers = [self.settle(each).layer for each in inputs]
        layer = {
            "name": self.name_for(name or self.place),
            "kind": kind,
            "inputs": layers,
            "shape": shape_of(axes),
            "attributes": dict(attributes or {}),
            "weights": weights,
        }
        self.layers.append(layer)
        return Value(layer, axes)

    def new_elements(self, layer, parts):
        """Elements of these parts that no layer has yet; from now on this one has them."""
        new = 0
        for name, offset, elements in parts:
            spans = self.seen.setdefault(name, [])
            overlap = sum(max(0, min(end, offset + elements) - max(begin, offset)) for begin, end, _ in spans)
            if overlap < elements:
                spans.append((offset, offset + elements, layer))
                self.counted[name] = self.counted.get(name, 0) + elements - overlap
                new += elements - overlap
        return new

    def settle_weights(self, layer):
        own = sum(elements for _, elements, _ in layer["weights"])
        new, kept, shares = 0, 0, {}
        for weight, elements, constants in layer["weights"]:
            parts = tuple(part for constant in constants for part in constant.parts)
            owner, called, as_many = self.owners.setdefault(parts, (layer, weight, elements))
            if parts and owner is not layer and (called, as_many) == (weight, elements):
                shares[weight] = owner["name"]
                kept += elements
            else:
                new += self.new_elements(layer, parts)
        layer.update(own=own, new=new)
        if shares and kept + new >= own:
            layer.update(shares=shares, kept=kept)

    def settle(self, value):
        """The value behind a layer that has the shape its axes say."""
        shape = shape_of(value.axes)
        if shape == value.layer["shape"]:
            return value
        key = (id(value.layer), tuple(shape.items()))
        if key not in self.settled:
            flat = shape["c"] == math.prod(shape.values())
            self.settled[key] = {
                "name": self.name_for(value.via or self.place + ".reshape"),
                "shape": shape,
                "kind": "flatten" if flat else "reshape",
                "inputs": [value.layer],
                "attributes": {},
                "weights": (),
            }
            self.layers.append(self.settled[key])
        return Value(self.settled[key], value.axes)

    def input(self, axes, name, constant=None):
        """An input of the network, or a tensor that is trained and repeated for each sample."""
        kind, inputs = ("further_input", [self.layers[0]]) if self.layers else ("input", [])
        layer = {
            "name": self.name_for(name if inputs else "input"),
            "kind": kind,
            "inputs": inputs,
            "shape": shape_of(axes),
            "attributes": {},
            "weights": [("", 0, [constant])] if constant else (),
        }
        self.layers.append(layer)
        return Value(layer, axes)

    def is_trained(self, layer):
        """Whether it depends on a parameter."""
        waiting, seen = [layer], set()
        while waiting:
            layer = waiting.pop()
            if layer["weights"]:
                return True
            waiting += [each for each in layer["inputs"] if id(each) not in seen]
            seen.update(map(id, layer["inputs"]))
        return False

    def finish(self, outputs, loss):
        """Ends with a loss of the outputs and leaves out what it does not read."""
        first = next((each for each in outputs if each.layer["kind"] in LOSSES), outputs[0])
        if first.layer["kind"] not in LOSSES:
            first = self.settle(first)
            softmax = first.layer
            if softmax["kind"] == "softmax" and not softmax["attributes"].keys() - {"groups"}:
                if softmax["attributes"].get("groups", 1) == 1:  # it belongs to the loss
                    first = Value(softmax["inputs"][0], first.axes)
            if len(outputs) > 1:
                self.notes.append(f"of its {len(outputs)} outputs the first is trained")
                first = self.add("outputs", [first, *outputs[1:]], first.axes, name="outputs")
            if loss == "softmax" and shape_of(first.axes)["c"] == 1:
                loss = "mean_squared"
                self.notes.append("its output has one channel: mean squared error is the loss")
            self.add(f"{loss}_loss", [first], [], name="loss")
        else:
            self.layers.append(first.layer)  # stands once: what is before is what it needs
        last, needed, waiting = self.layers[-1], {id(self.layers[0])}, [self.layers[-1]]
        while waiting:
            layer = waiting.pop()
            waiting += [each for each in layer["inputs"] if id(each) not in needed]
            needed.update(map(id, layer["inputs"]))
        self.layers = [layer for layer in self.layers if id(layer) in needed] + [last]
        for layer in self.layers[:-1]:
            self.take_apart(layer)
        for layer in self.layers:
            self.settle_weights(layer)

    def take_apart(self, layer):
        """A product whose features are read in parts (queries, keys, values) is one for each part: parts are views
        in PyTorch, and each has its own shards."""
        if not layer.get("in_parts"):
            return
        readers = [each for each in self.layers if any(layer is read for read in each["inputs"])]
        begins = [each["attributes"].get("begin_features", 0) for each in readers]
        sizes = [each["shape"]["c"] for each in readers]
        ends = [0, *itertools.accumulate(sizes)]
        whole = {**layer["shape"], "c": 0}
        if (
            len(readers) < 2
            or begins != ends[:-1]
            or ends[-1] != layer["shape"]["c"]
            or any(each["kind"] != "slice" or {**each["shape"], "c": 0} != whole for each in readers)
        ):
            return
        for at, (each, begin, size) in enumerate(zip(readers, begins, sizes)):
            weights = [
                (name, elements * size // ends[-1], [constants[0].share(begin, size, ends[-1])])
                for name, elements, constants in layer["weights"]
            ]
            each.update(
                kind=layer["kind"],
                name=self.name_for(f"{layer['name']}.{at}"),
                inputs=layer["inputs"],
                attributes={**layer["attributes"], "features": size},
                weights=weights,
            )
        self.layers = [each for each in self.layers if each is not layer]

    def check_parameters(self):
        """Each parameter belongs to one layer, whole; what no layer uses is named. Refuses any difference."""
        unused = [name for name in self.parameters if name not in self.seen]
        for name, spans in self.seen.items():  # rows of a table that are never read are trained, too
            spans[0][2]["new"] += self.parameters[name] - self.counted[name]
        total = sum(self.parameters.values())
        left_out = sum(self.parameters[name] for name in unused)
        written = sum(layer["new"] for layer in self.layers)
        if written + left_out != total:
            raise Refused(
                f"has {total:,} parameters, of which {written:,} would be written and "
                f"{left_out:,} are not used: a defect of this script, please report it"
            )
        if unused:
            self.notes.append(f"{left_out:,} parameters are not used and left out: " + listed(unused))
        return written


def rank_of(network):
    """Spatial axes of its tensors."""
    letters = set()
    for layer in network.layers:
        letters.update(letter for letter in SPACE if layer["shape"][letter] > 1)
        for value in layer["attributes"].values():
            letters.update(value if isinstance(value, dict) else ())
    return max((3 - SPACE.index(letter) for letter in letters), default=0)


def written(network, name, description):
    """The model as models/README.md has it."""
    rank, source = rank_of(network), network.layers[0]
    size = {"channels": source["shape"]["c"]}
    for word, letter in zip(("depth", "height", "width")[3 - rank :], SPACE[3 - rank :]):
        size[word] = source["shape"][letter]
    if source["shape"]["s"] > 1:
        size["sequence"] = source["shape"]["s"]
    entries = [entry_of(layer, before, rank) for before, layer in zip(network.layers, network.layers[1:])]
    return {"schema": "oracle/model/1", "name": name, "description": description, "input": size, "layers": entries}


def entry_of(layer, before, rank):
    entry = {"name": layer["name"], "kind": layer["kind"]}
    read = [each["name"] for each in layer["inputs"]]
    if read != [before["name"]]:
        entry["from"] = read if len(read) > 1 else read[0]
    for key, value in layer["attributes"].items():
        if isinstance(value, dict):  # by axis
            value = [value.get(letter, NO_WINDOW.get(key, 0)) for letter in SPACE[3 - rank :]]
            value = value[0] if len(set(value)) == 1 else value
        stride = key == "stride" and value == 1 and "pool" not in layer["kind"]
        group_per_channel = key == "groups" and layer["kind"] == "group_norm"
        if not stride and (group_per_channel or DEFAULTS.get(key, math.nan) != value):
            entry[key] = value
    shape = layer["shape"]
    if layer["kind"] in SHAPED + ("resize",):
        if layer["kind"] != "resize":
            entry["features"] = shape["c"]
        if rank and (shape["s"] == 1 or any(shape[letter] > 1 for letter in SPACE)):
            entry["extents"] = [shape[letter] for letter in SPACE[3 - rank :]]
        if shape["s"] > 1 or not rank:
            entry["sequence"] = shape["s"]
    if layer.get("shares"):
        entry["shares"] = layer["shares"]
    if layer["new"] + layer.get("kept", 0) != layer["own"]:
        entry["stored"] = layer["new"] + layer.get("kept", 0)
    return entry


def listed(names, most=4):
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
