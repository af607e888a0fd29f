"""A drawing made of a few kinds of shapes, apart from how it is shown; y grows downwards."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class Path:
    """A line through points."""

    points: Sequence[tuple[float, float]]
    kind: str = "axis"


@dataclass(frozen=True)
class Rectangle:
    """A rectangle from its upper left corner; ``fill`` is a colour in place of its kind's."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    fill: str = ""


@dataclass(frozen=True)
class Circle:
    """A point; ``hint`` shows when a pointer rests on it."""

    x: float
    y: float
    radius: float
    kind: str
    hint: str = ""


@dataclass(frozen=True)
class Text:
    """A line of text; ``anchor`` is start, middle or end, ``turn`` degrees clockwise."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    kind: str = "label"
    turn: float = 0


Shape = Path | Rectangle | Circle | Text


@dataclass
class Canvas:
    """Collects shapes, each of a kind of ``style.LOOKS``.

    Parameters
    ----------
    width, height
        In pixels; the page scales the drawing.
    name
        Unique in the page, made of letters, digits and dashes.
    title, description
        What a screen reader says.
    shapes
        In the order drawn.
    """

    width: float
    height: float
    name: str
    title: str
    description: str = ""
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Draw shapes above those that are there."""
        self.shapes += shapes

    def to_svg(self) -> str:
        """Return the drawing as one SVG picture with a name for screen readers."""
        title, description = f"{self.name}-t", f"{self.name}-d"
        about = f"{title} {description}" if self.description else title
        desc = f'<desc id="{description}">{escape(self.description)}</desc>'
        return (
            f'<svg role="img" aria-labelledby="{about}" viewBox="0 0 {self.width:.0f} '
            f'{self.height:.0f}" style="--width:{self.width:.0f}px">'
            f'<title id="{title}">{escape(self.title)}</title>'
            f"{desc if self.description else ''}{''.join(map(_to_element, self.shapes))}</svg>"
        )


def _to_element(shape: Shape) -> str:
    match shape:
        case Path(points, kind):
            steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            return f'<path class="{kind}" d="M{steps}"/>'
        case Rectangle(x, y, width, height, kind, fill):
            style = f' style="fill:{fill}"' if fill else ""
            place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            return f'<rect class="{kind}" {place}{style}/>'
        case Circle(x, y, radius, kind, hint):
            title = f"<title>{escape(hint)}</title>" if hint else ""
            place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
            return f'<circle class="{kind}" {place}>{title}</circle>'
        case Text(x, y, text, anchor, kind, turn):
            turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
            place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turned}'
            return f'<text class="{kind}" {place}>{escape(text)}</text>'


def name_after(kind: str, about: str) -> str:
    """Return the name of a chart or table in a page: its kind and what it is about."""
    return f"{kind}-" + "".join(c if c.isalnum() else "-" for c in about.lower()).strip("-")


def measure_text(texts: list[str]) -> float:
    """Return about how many pixels the widest of some labels needs."""
    return 6.9 * max(len(text) for text in texts) + 14
