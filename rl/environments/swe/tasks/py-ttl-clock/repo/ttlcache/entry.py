class Entry:
    def __init__(self, value, at):
        self.value = value
        self.at = at
