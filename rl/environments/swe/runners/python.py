"""Runs one file of unittest tests and says what came of each, in lines that begin with a nonce.

The code under test runs in this very process: after it is loaded, and after each test, the means to tell are compared with
what they were. stdin: {"nonce", "file"}. Started as `python3 -I -B THIS` in the repository.
"""
import collections, difflib, json, os, pprint, sys, traceback, unittest, unittest.mock  # noqa: all of it before any code of the repository
import importlib.util

_config = json.loads(sys.stdin.buffer.read())
_write, _dumps, _type, _isinstance = os.write, json.dumps, type, isinstance
_plain = (str, bytes, bool, int, float, type(None), list, tuple, dict, set, frozenset)
_honest = [kind.__eq__ for kind in (*_plain, bytearray, collections.OrderedDict, collections.Counter)]


def _sayer(nonce):
    def say(what):
        _write(1, ("\n%s %s\n" % (nonce, _dumps(what))).encode())

    return say


_say = _sayer(_config.pop("nonce"))


def _impostor(first, second):
    """Whether `first` could pass for the plain value `second` by an equality of its own."""
    kind = _type(second)
    if kind not in _plain:
        return False
    if _type(first).__eq__ not in _honest:
        return True
    if kind in (list, tuple) and _isinstance(first, kind):
        return any(_impostor(a, b) for a, b in zip(first, second))
    if kind is dict and _isinstance(first, dict):
        return any(_impostor(first[key], second[key]) for key in second if key in first)
    return False


_equal = unittest.TestCase.assertEqual


def _assert_equal(self, first, second, msg=None):
    if _impostor(first, second):
        raise self.failureException("%s only claims to be equal" % _type(first).__name__)
    _equal(self, first, second, msg)


unittest.TestCase.assertEqual = _assert_equal


class _Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.how = {}

    def startTest(self, test):
        self.how[test] = ("PASSED", "")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.how[test] = ("FAILED", str(err[1]))

    def addFailure(self, test, err):
        self.how[test] = ("FAILED", str(err[1]))

    addError = addFailure

    def addSkip(self, test, reason):
        self.how[test] = ("SKIPPED", reason)

    def addExpectedFailure(self, test, err):
        self.how[test] = ("PASSED", "")

    def addUnexpectedSuccess(self, test):
        self.how[test] = ("FAILED", "unexpected success")

    def addSuccess(self, test):
        pass


def _means():
    owners = (unittest.TestCase, unittest.TestResult, _Result, unittest.case._Outcome, unittest.case._AssertRaisesContext)
    return [(owner, dict(vars(owner))) for owner in owners] + [(os, {"write": os.write}), (json, {"dumps": json.dumps})]


def _changed(before):
    return any(vars(owner).get(key) is not value for owner, own in before for key, value in own.items() if not key.startswith("__"))


def _run():
    before = _means()
    sys.path.append(os.getcwd())
    _say({"ready": True})
    suite = unittest.TestSuite()
    try:
        path = _config["file"]
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        suite = unittest.TestLoader().loadTestsFromModule(module)
    except BaseException as error:
        _say({"load": "".join(traceback.format_exception_only(error))[:500]})
    tampered = _changed(before)
    pending = [suite]
    while pending:
        each = pending.pop(0)
        if _isinstance(each, unittest.TestSuite):
            pending = list(each) + pending
            continue
        result = _Result()
        unittest.TestSuite([each]).run(result)
        tampered = tampered or _changed(before)
        for status, why in [result.how.get(each, ("FAILED", "; ".join(w for _, w in result.how.values())))]:
            _say({"name": "%s::%s" % (_type(each).__name__, each._testMethodName), "status": status, "why": why[:500]})

    class Canary(unittest.TestCase):
        def runTest(self):
            self.assertEqual(1, 2)

    result = _Result()
    canary = Canary()
    canary.run(result)
    _say({"canary": "PASSED" if tampered else result.how[canary][0]})
    _say({"end": True})


_run()
