import unittest

from memo import memo
from memo.store import Store


def counted(result=lambda *a, **k: (a, k)):
    calls = []

    @memo
    def work(*args, **kwargs):
        calls.append((args, kwargs))
        return result(*args, **kwargs)

    return work, calls


class KeysTest(unittest.TestCase):
    def test_types_are_apart(self):
        work, calls = counted(lambda x: type(x).__name__)
        self.assertEqual([work(x) for x in (1, "1", 1.0, True)], ["int", "str", "float", "bool"])
        self.assertEqual([work((1,)), work(("1",))], ["tuple", "tuple"])
        self.assertEqual(len(calls), 6)

    def test_keyword_order_does_not_matter(self):
        work, calls = counted()
        work(a=1, b=2)
        work(b=2, a=1)
        self.assertEqual(len(calls), 1)

    def test_keywords_are_no_positions(self):
        work, calls = counted()
        self.assertEqual(work(("a", 1)), ((("a", 1),), {}))
        self.assertEqual(work(a=1), ((), {"a": 1}))
        self.assertEqual(work("a", 1), (("a", 1), {}))
        self.assertEqual(len(calls), 3)

    def test_functions_are_apart(self):
        one, _ = counted(lambda: 1)
        two, _ = counted(lambda: 2)
        self.assertEqual([one(), two(), one()], [1, 2, 1])

    def test_none_is_remembered(self):
        work, calls = counted(lambda: None)
        self.assertEqual([work(), work()], [None, None])
        self.assertEqual(len(calls), 1)

    def test_errors_are_not(self):
        outcomes = [ValueError("no"), 5]

        def result():
            outcome = outcomes.pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        work, calls = counted(result)
        with self.assertRaises(ValueError):
            work()
        self.assertEqual([work(), work()], [5, 5])

    def test_unhashable_is_computed(self):
        work, calls = counted(lambda x: sum(x))
        numbers = [1, 2]
        self.assertEqual(work(numbers), 3)
        numbers.append(3)
        self.assertEqual([work(numbers), work(numbers)], [6, 6])
        self.assertEqual(len(calls), 3)

    def test_a_type_error_of_the_function_is_its_own(self):
        work, calls = counted(lambda x: x + 1)
        with self.assertRaises(TypeError):
            work("a")
        self.assertEqual(len(calls), 1)

    def test_store_drops_the_oldest(self):
        store = Store(2)
        for key in "abc":
            store.put(key, key)
        self.assertEqual(list(store.values), ["b", "c"])
