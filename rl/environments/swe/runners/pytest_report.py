"""A plugin of pytest that says what came of each test, in lines that begin with a nonce: the first line of stdin.

Loaded by `-p pytest_report`, which is before pytest takes stdin and stdout and before any code of the repository.
"""
import json, os, sys

_write, _dumps = os.write, json.dumps
_out = os.dup(1)


def _sayer(nonce):
    def say(what):
        _write(_out, ("\n%s %s\n" % (nonce, _dumps(what))).encode())

    return say


_say = _sayer(sys.stdin.readline().strip())
_how = {}
_say({"ready": True})


def pytest_runtest_logreport(report):
    status = None
    if hasattr(report, "wasxfail"):
        status = "XFAIL" if report.skipped else "PASSED"
    elif report.failed:
        status = "FAILED" if report.when == "call" else "ERROR"
    elif report.skipped:
        status = "SKIPPED"
    elif report.when == "call":
        status = "PASSED"
    worse = report.when == "teardown" and status == "ERROR"
    if status and (report.nodeid not in _how or worse):
        _how[report.nodeid] = status
    if report.when == "teardown":
        _say({"name": report.nodeid, "status": _how.get(report.nodeid, "ERROR")})
