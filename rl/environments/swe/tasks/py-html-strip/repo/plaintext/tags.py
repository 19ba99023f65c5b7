BLOCKS = {"p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr"}
SPACED = {"p", "h1", "h2", "h3", "h4", "h5", "h6"}
HIDDEN = {"script", "style"}
