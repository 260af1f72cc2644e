"""`gpufx report`: one page with everything that archives say, as HTML, from Jinja2 templates; all words are escaped."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(name: str, **values) -> str:
    return TEMPLATES.get_template(name).render(**values)
