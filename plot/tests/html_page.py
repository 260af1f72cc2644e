"""A page's elements with their attributes, the text of each kind, and what is wrong with the nesting."""

from html.parser import HTMLParser

VOID = {"meta", "img", "input", "br", "hr", "link", "rect", "path"}
OPTIONAL = {"td", "tr", "th"}  # whose ends may be left out


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.elements, self.texts, self.open, self.wrong = [], {}, [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)

    def all(self, tag: str) -> list[dict]:
        return [attrs for name, attrs in self.elements if name == tag]
