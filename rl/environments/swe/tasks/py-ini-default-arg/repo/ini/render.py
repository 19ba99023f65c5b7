def render(sections):
    """The text that `parse` reads back."""
    out = []
    for name, values in sections.items():
        if name:
            out.append(f"[{name}]")
        out += [f"{key} = {value}" for key, value in values.items()]
    return "\n".join(out) + "\n"
