from .convert import convert


def load(defaults, file_values, env, prefix="APP_"):
    """Settings of three layers."""
    settings = defaults
    for name, text in env.items():
        if name.startswith(prefix):
            key = name[len(prefix) :].lower()
            settings[key] = convert(text, settings.get(key, ""))
    for key, value in file_values.items():
        settings[key] = value
    return settings
