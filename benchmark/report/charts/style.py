"""How charts look: colours by role, and what each kind of shape wears.

The page and the figures take their colours from here. Readable when printed small, and safe for
colour-blind readers: blue and orange are Okabe and Ito's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

#: Role -> colour on white; the others change some of them.
LIGHT = {
    "paper": "#ffffff", "ink": "#1b1f24", "soft": "#57606a", "line": "#d0d7de", "band": "#f6f8fa",
    "blue": "#0072b2", "orange": "#d55e00", "good": "#1a7f37", "bad": "#b42318", "warn": "#8a5a00",
    "box": "#9ecae1", "on-dark": "#ffffff", "on-pale": "#1b1f24", "shade": "rgb(0 0 0 / 28%)",
}  # fmt: skip
_DARK = LIGHT | {
    "paper": "#14171b", "ink": "#e6e9ed", "soft": "#9aa4af", "line": "#363d46", "band": "#1c2026",
    "blue": "#6cb2f5", "orange": "#f0a050", "good": "#56d07a", "bad": "#ff8a80", "warn": "#e0b050",
    "box": "#2f6690", "shade": "rgb(255 255 255 / 28%)",
}  # fmt: skip
_PRINT = LIGHT | {"ink": "#000000", "soft": "#444444", "line": "#bbbbbb", "band": "#f4f4f4"}

#: Method -> role of its colour, in charts that compare these two.
METHOD_COLOURS = {"wpfs": "blue", "mlp": "orange"}


@dataclass(frozen=True)
class Look:
    """What a kind of shape or text wears.

    Parameters
    ----------
    stroke, fill
        Roles; none when empty.
    width
        Of the stroke, in pixels.
    dash
        Lengths of a dash and of a gap, in pixels; solid when empty.
    opacity
        From 0 to 1.
    size
        Of a text, in pixels.
    bold
        Whether a text is.
    """

    stroke: str = ""
    fill: str = ""
    width: float = 1
    dash: tuple[float, ...] = ()
    opacity: float = 1
    size: float = 12
    bold: bool = False


LOOKS: Mapping[str, Look] = {
    "label": Look(fill="ink"),
    "title": Look(fill="ink", size=13, bold=True),
    "tick": Look(fill="soft", size=11),
    "bad": Look(fill="bad", size=11),
    "on-dark": Look(fill="on-dark"),
    "on-pale": Look(fill="on-pale"),
    "axis": Look("ink"),
    "grid": Look("line"),
    "leader": Look("soft"),
    "bar": Look("ink", width=4),
    "whisker": Look("soft"),
    "box": Look(fill="box"),
    "median": Look("ink", width=2.5),
    "run": Look(fill="ink", opacity=0.45),
    "point": Look(fill="blue"),
    "heat": Look(),
    "empty": Look("line", dash=(3, 2)),
    "blue": Look("blue", width=1.6),
    "blue-dashed": Look("blue", width=1.6, dash=(4, 3), opacity=0.75),
    "orange": Look("orange", width=1.6),
    "orange-dashed": Look("orange", width=1.6, dash=(4, 3), opacity=0.75),
}


def write_css() -> str:
    """Return the style sheet of colours and of the charts' shapes."""
    rules = [
        _write_colours(LIGHT),
        f"@media (prefers-color-scheme: dark) {{ {_write_colours(_DARK)} }}",
        f"@media print {{ {_write_colours(_PRINT)} }}",
    ]
    for kind, look in LOOKS.items():
        stroke, fill = (f"var(--{role})" if role else "none" for role in (look.stroke, look.fill))
        dash = " ".join(f"{length:g}" for length in look.dash) or "none"
        rules.append(
            f"svg .{kind} {{ stroke: {stroke}; fill: {fill}; stroke-width: {look.width:g}; "
            f"stroke-dasharray: {dash}; opacity: {look.opacity:g}; font-size: {look.size:g}px; "
            f"font-weight: {600 if look.bold else 400}; }}"
        )
    return "\n".join(rules)


def _write_colours(colours: Mapping[str, str]) -> str:
    variables = " ".join(f"--{role}: {colour};" for role, colour in colours.items())
    return f":root {{ {variables} }}"
