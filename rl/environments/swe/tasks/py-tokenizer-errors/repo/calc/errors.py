class CalcError(Exception):
    pass
