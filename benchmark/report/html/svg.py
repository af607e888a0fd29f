"""A small canvas that writes SVG."""

from html import escape


class Canvas:
    """Collects shapes and writes them as one SVG picture with a name for screen readers.

    Parameters
    ----------
    width, height
        Of the view box; the picture scales to the page.
    """

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> None:
        """Draw a line; ``kind`` is a class of the style sheet."""
        self._parts.append(
            f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, fill: str = ""
    ) -> None:
        """Draw a rectangle; ``fill`` overrides the class's colour."""
        style = f' style="fill:{fill}"' if fill else ""
        self._parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
            f'height="{max(height, 0):.1f}"{style}/>'
        )

    def circle(self, x: float, y: float, radius: float, kind: str, hint: str = "") -> None:
        """Draw a point; ``hint`` shows when a pointer rests on it."""
        title = f"<title>{escape(hint)}</title>" if hint else ""
        self._parts.append(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">{title}</circle>'
        )

    def path(self, points: list[tuple[float, float]], kind: str) -> None:
        """Draw a line through points."""
        if points:
            steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            self._parts.append(f'<path class="{kind}" d="M{steps}"/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        kind: str = "label",
        turn: float = 0,
    ) -> None:
        """Write a text; ``anchor`` is start, middle or end, ``turn`` degrees clockwise."""
        turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
        self._parts.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turned}>'
            f"{escape(text)}</text>"
        )

    def render(self, name: str, title: str, description: str = "") -> str:
        """Return the picture.

        Parameters
        ----------
        name
            Unique in the page, made of letters, digits and dashes.
        title, description
            What a screen reader says.
        """
        about = f"{name}-t {name}-d" if description else f"{name}-t"
        desc = f'<desc id="{name}-d">{escape(description)}</desc>' if description else ""
        return (
            f'<svg role="img" aria-labelledby="{about}" viewBox="0 0 {self.width:.0f} '
            f'{self.height:.0f}" style="max-width:{self.width:.0f}px">'
            f'<title id="{name}-t">{escape(title)}</title>{desc}{"".join(self._parts)}</svg>'
        )


def anchor_of(name: str) -> str:
    """Turn a name into one that is safe as an id."""
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")
