"""A fitted classifier as files that execute nothing when they are read, and back.

What ``fit`` left in a classifier is of three kinds. A PyTorch network, in the attribute
``network_``, becomes the arrays of its ``state_dict``; the classifier's ``restore_network`` builds
it anew around them. Boosted trees are written as their library writes them. All the rest goes into
one skops file: scikit-learn's estimators, arrays and plain values, of types that are listed.
"""

import inspect
import io
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Attributes that have no form of their own.
_STATE = "state.skops"

_NETWORK = ".npz"

#: Types allowed in a skops file beside those it trusts itself: numpy's and scikit-learn's public.
TRUSTED = (
    "baselines._shared.sparse_input_network.Layers",
    "baselines.protogate.Gating",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.tree._tree.Tree",
)


class PortableError(ValueError):
    """A classifier cannot be written, or files cannot be read; the message is one line."""


@dataclass(frozen=True)
class _Form:
    """How a kind of attribute is written.

    Parameters
    ----------
    kind
        Full name of the class, or of a base class.
    write
        Turns a value into a file.
    read
        Turns a file into a value, given the classifier with all else it had.
    """

    kind: str
    write: Callable[[Any], bytes]
    read: Callable[[bytes, Any], Any]


def pack(classifier: Any) -> dict[str, bytes]:
    """Return what ``fit`` left in a classifier: file name -> content.

    Raises
    ------
    PortableError
        If it holds something that could only be written as code.
    """
    files, state = {}, {}
    arguments = inspect.signature(type(classifier)).parameters
    for name, value in vars(classifier).items():
        if name in arguments:
            continue
        suffix = _find_form(value)
        if suffix is None or not name.endswith("_"):
            state[name] = value
        else:
            if suffix == _NETWORK and not hasattr(classifier, "restore_network"):
                raise PortableError(f"{name} is a network and there is no restore_network()")
            files[name.removesuffix("_") + suffix] = _FORMS[suffix].write(value)
    return {_STATE: _write_state(state, classifier), **files}


def unpack(files: Mapping[str, bytes], classifier: Any) -> None:
    """Make a new classifier what the one was that ``pack`` wrote.

    Parameters
    ----------
    files
        As ``pack`` gave them.
    classifier
        Unfitted, with the same constructor arguments.

    Raises
    ------
    PortableError
        If a file is damaged or holds a type that is not listed.
    """
    if _STATE not in files:
        raise PortableError(f"{_STATE} is missing")
    vars(classifier).update(_read_state(files[_STATE], classifier))
    for name, content in files.items():
        if name == _STATE:
            continue
        attribute, dot, suffix = name.partition(".")
        if dot + suffix not in _FORMS:
            raise PortableError(f"{name} is of an unknown kind")
        try:
            value = _FORMS[dot + suffix].read(content, classifier)
        except Exception as error:  # each library has errors of its own
            raise PortableError(f"{name} cannot be read: {_first_line(error)}") from error
        vars(classifier)[f"{attribute}_"] = value


def _find_form(value: Any) -> str | None:
    kinds = {f"{base.__module__}.{base.__qualname__}" for base in type(value).__mro__}
    return next((suffix for suffix, form in _FORMS.items() if form.kind in kinds), None)


def _write_state(state: Mapping[str, Any], classifier: Any) -> bytes:
    from skops.io import dumps, get_untrusted_types

    strange: set[str] = set()
    try:
        content: bytes = dumps(dict(state), compression=zipfile.ZIP_DEFLATED)
        strange = set(get_untrusted_types(data=content)) - _trust(classifier)
    except Exception as error:
        raise PortableError(_first_line(error)) from error
    if strange:
        raise PortableError(f"it holds objects of {', '.join(sorted(strange))}")
    return content


def _read_state(content: bytes, classifier: Any) -> dict[str, Any]:
    from skops.io import loads
    from skops.io.exceptions import UntrustedTypesFoundException

    try:
        state = loads(content, trusted=sorted(_trust(classifier)))
    except UntrustedTypesFoundException as error:
        raise PortableError(
            f"{_STATE} holds types that are not allowed: {_first_line(error)}"
        ) from None
    except Exception as error:  # a damaged file may raise anything
        raise PortableError(f"{_STATE} cannot be read: {_first_line(error)}") from error
    if type(state) is not dict or not all(type(name) is str for name in state):
        raise PortableError(f"{_STATE} is not the state of a classifier")
    for value in state.values():
        _check_trees(value)
    return state


def _check_trees(estimator: Any) -> None:
    """Refuse decision trees that would send a row round in circles or out of their memory.

    skops leaves this to whoever trusts the type: scikit-learn follows a tree's numbers unchecked.
    """
    members = getattr(estimator, "estimators_", [estimator])
    for member in members.flat if isinstance(members, np.ndarray) else members:
        tree = getattr(member, "tree_", None)
        if tree is None:
            continue
        nodes = np.arange(tree.node_count)
        is_inner = tree.children_left >= 0
        children = np.stack([tree.children_left, tree.children_right])[:, is_inner]
        within = (children > nodes[is_inner]) & (children < tree.node_count)
        features = tree.feature[is_inner]
        known = (features >= 0) & (features < tree.n_features)
        if not within.all() or not known.all() or tree.n_features > estimator.n_features_in_:
            raise PortableError(f"{_STATE} holds a decision tree that cannot be")


def _trust(classifier: Any) -> set[str]:
    """Return the names of the types allowed for a classifier: those listed, and its own file's."""
    made_of = getattr(type(classifier), "wrapped", type(classifier))
    module = made_of.__module__
    # By what a class calls its module: a name that a file imports may stand for anything.
    own = {
        f"{module}.{name}"
        for name, value in vars(sys.modules[module]).items()
        if isinstance(value, type) and value.__module__ == module and value.__name__ == name
    }
    return {*TRUSTED, *own}


def _first_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:200]}..."


def _write_network(network: Any) -> bytes:
    content = io.BytesIO()
    np.savez(content, **{name: value.numpy() for name, value in network.state_dict().items()})
    return content.getvalue()


def _read_network(content: bytes, classifier: Any) -> Any:
    import torch

    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        weights = {name: torch.from_numpy(arrays[name]) for name in arrays.files}
    return classifier.restore_network(weights)


def _read_lightgbm(content: bytes, classifier: Any) -> Any:
    import lightgbm

    text = content.decode()
    _check_booster(text, classifier.n_features_in_)
    return lightgbm.Booster(model_str=text)


#: Numbers of a LightGBM tree, one per split or one per leaf.
_PER_SPLIT = (
    *("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child"),
    *("internal_value", "internal_weight", "internal_count"),
)
_PER_LEAF = ("leaf_value", "leaf_weight", "leaf_count")


def _check_booster(text: str, n_features: int) -> None:
    """Refuse a booster whose trees would lead LightGBM out of its memory: it checks little."""
    head, _, rest = text.partition("\n\n")
    fields = _read_fields(head)
    sizes = [int(size) for size in fields["tree_sizes"].split()]
    if int(fields["max_feature_idx"]) + 1 != n_features or min(sizes, default=0) < 1:
        raise ValueError("it is of another table")
    data, start = rest.encode(), 0
    for number, size in enumerate(sizes):
        tree = data[start : start + size].decode()
        if not tree.startswith(f"Tree={number}\n"):
            raise ValueError(f"tree {number} is not where it should be")
        _check_tree(_read_fields(tree), n_features)
        start += size
    if not data[start:].startswith(b"end of trees\n"):
        raise ValueError("the trees do not end where they should")


def _check_tree(fields: Mapping[str, str], n_features: int) -> None:
    n_leaves = int(fields["num_leaves"])
    if n_leaves < 1 or (fields["num_cat"], fields.get("is_linear", "0")) != ("0", "0"):
        raise ValueError("a tree is of a kind that is never fitted here")
    if n_leaves == 1:
        return
    counts = dict.fromkeys(_PER_SPLIT, n_leaves - 1) | dict.fromkeys(_PER_LEAF, n_leaves)
    whole = ("split_feature", "left_child", "right_child")
    values = {
        name: np.array(fields[name].split(), dtype=np.int64 if name in whole else np.float64)
        for name in counts
    }
    if any(len(values[name]) != count for name, count in counts.items()):
        raise ValueError("a tree lacks numbers")
    children = np.stack([values["left_child"], values["right_child"]])
    splits = np.arange(n_leaves - 1)
    # Splits are numbered from the root down, leaves -1, -2, ...
    within = np.where(children < 0, children >= -n_leaves, children > splits)
    if not within.all() or (children >= n_leaves - 1).any():
        raise ValueError("a tree leads nowhere")
    if not ((values["split_feature"] >= 0) & (values["split_feature"] < n_features)).all():
        raise ValueError("a tree splits by a feature that is not there")


def _read_fields(lines: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in lines.splitlines() if "=" in line)


def _read_xgboost(content: bytes, classifier: Any) -> Any:
    import xgboost

    model = xgboost.XGBClassifier(n_jobs=classifier.n_threads)
    model.load_model(bytearray(content))
    return model


_FORMS: Mapping[str, _Form] = {
    _NETWORK: _Form("torch.nn.modules.module.Module", _write_network, _read_network),
    ".lightgbm.txt": _Form(
        "lightgbm.basic.Booster", lambda booster: booster.model_to_string().encode(), _read_lightgbm
    ),
    ".xgboost.json": _Form(
        "xgboost.sklearn.XGBClassifier",
        lambda model: bytes(model.get_booster().save_raw("json")),
        _read_xgboost,
    ),
}
