"""`gpufx report`: one page with everything that archives say, as HTML or Markdown."""
