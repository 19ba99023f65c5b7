import unittest

from pipeline import Pipeline


def named(name, log):
    def fn(request, next):
        log.append(name)
        return next()

    fn.__name__ = name
    return fn


class OrderTest(unittest.TestCase):
    def setUp(self):
        self.log = []

    def pipeline(self, *entries):
        pipeline = Pipeline(lambda request: request)
        for name, place in entries:
            pipeline.use(named(name, self.log), **place)
        return pipeline

    def check(self, wanted, *entries):
        self.log.clear()
        self.pipeline(*entries).run(0)
        self.assertEqual("".join(self.log), wanted)

    def test_before_and_after(self):
        self.check("bca", ("a", {}), ("b", {}), ("c", {"before": "a"}))
        self.check("acb", ("a", {}), ("b", {}), ("c", {"before": "b"}))
        self.check("bca", ("a", {"after": "c"}), ("b", {}), ("c", {}))

    def test_otherwise_the_order_of_registration(self):
        self.check("abcd", ("a", {}), ("b", {"after": "a"}), ("c", {}), ("d", {"after": "a"}))
        self.check("bac", ("a", {"after": "b"}), ("b", {}), ("c", {}))

    def test_names_that_are_not_there(self):
        self.check("ab", ("a", {"before": "nobody"}), ("b", {"after": "nobody"}))

    def test_contradictions(self):
        pipeline = self.pipeline(("first", {"after": "second"}), ("second", {"after": "first"}))
        with self.assertRaisesRegex(ValueError, "(?s)first.*second|second.*first"):
            pipeline.run(0)
        self.assertEqual(self.log, [])

    def test_runs_again(self):
        pipeline = self.pipeline(("a", {}))
        self.assertEqual([pipeline.run(1), pipeline.run(2)], [1, 2])

    def test_an_end_before_the_handler(self):
        pipeline = Pipeline(lambda request: self.fail("reached")).use(lambda request, next: "stop")
        self.assertEqual([pipeline.run(1), pipeline.run(1)], ["stop", "stop"])

    def test_next_twice(self):
        def twice(request, next):
            next()
            return next()

        calls = []
        with self.assertRaises(RuntimeError):
            Pipeline(calls.append).use(twice).run(1)
        self.assertEqual(calls, [1])

    def test_what_is_passed_on(self):
        def other(request, next):
            return next(None)

        self.assertEqual(self.pipeline(("a", {})).run("x"), "x")
        self.assertIsNone(Pipeline(lambda request: request).use(other).use(named("a", [])).run("x"))

    def test_errors_pass_the_outer_ones(self):
        def cleaning(request, next):
            try:
                return next()
            finally:
                self.log.append("cleaned")

        def handler(request):
            if request == 1:
                raise KeyError("no")
            return request

        pipeline = Pipeline(handler).use(cleaning)
        with self.assertRaises(KeyError):
            pipeline.run(1)
        self.assertEqual([pipeline.run(2), self.log], [2, ["cleaned", "cleaned"]])

    def test_added_while_it_runs(self):
        pipeline = Pipeline(lambda request: request)
        late = named("late", self.log)

        def adding(request, next):
            if late not in [entry["fn"] for entry in pipeline.entries]:
                pipeline.use(late)
            return next()

        pipeline.use(adding)
        pipeline.run(0)
        self.assertEqual(self.log, [])
        pipeline.run(0)
        self.assertEqual(self.log, ["late"])

    def test_runs_within_runs(self):
        def nested(request, next):
            return pipeline.run(request - 1) + next() if request > 0 else next()

        pipeline = Pipeline(lambda request: 1).use(nested)
        self.assertEqual(pipeline.run(3), 4)
