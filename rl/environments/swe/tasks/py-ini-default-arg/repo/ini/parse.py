def parse(text, sections={}):
    """Sections of an INI file: name -> key -> value."""
    name = None
    for line in text.split("\n"):
        line = line.split("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            sections[name] = {}
        elif "=" in line:
            key, value = line.split("=")[:2]
            sections[name][key.strip()] = value.strip()
    return sections
