import unittest

from pipeline import Pipeline


class PipelineTest(unittest.TestCase):
    def test_onion(self):
        def double(request, next):
            return 2 * next(request)

        def increment(request, next):
            return next(request + 1)

        self.assertEqual(Pipeline(lambda n: n * 10).use(double).use(increment).run(1), 40)
