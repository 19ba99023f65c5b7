import unittest

from jobs import JobQueue


def drain(queue):
    return [queue.pop() for _ in range(len(queue))]


class OrderTest(unittest.TestCase):
    def test_equal_priorities_keep_their_order(self):
        queue = JobQueue()
        for payload in ({"n": 2}, {"n": 1}, {"n": 3}):
            queue.add(payload)
        self.assertEqual([job["n"] for job in drain(queue)], [2, 1, 3])

    def test_cancelled_jobs_are_gone(self):
        queue = JobQueue()
        ids = [queue.add(payload) for payload in "abc"]
        queue.cancel(ids[1])
        self.assertEqual(len(queue), 2)
        self.assertEqual(drain(queue), ["a", "c"])

    def test_reprioritized_goes_behind(self):
        queue = JobQueue()
        a, b, c = queue.add("a", 1), queue.add("b", 2), queue.add("c", 2)
        queue.reprioritize(a, 2)
        self.assertEqual(len(queue), 3)
        self.assertEqual(drain(queue), ["b", "c", "a"])

    def test_reprioritized_back_and_forth(self):
        queue = JobQueue()
        a, b = queue.add("a", 5), queue.add("b", 5)
        queue.reprioritize(b, 1)
        queue.reprioritize(b, 9)
        queue.reprioritize(b, 5)
        self.assertEqual(drain(queue), ["a", "b"])

    def test_cancel_after_reprioritize(self):
        queue = JobQueue()
        a = queue.add("a", 5)
        queue.reprioritize(a, 1)
        queue.cancel(a)
        self.assertEqual(len(queue), 0)
        with self.assertRaises(IndexError):
            queue.pop()

    def test_peek_takes_nothing(self):
        queue = JobQueue()
        first = queue.add("a")
        queue.add("b")
        self.assertEqual([queue.peek(), queue.peek(), len(queue)], ["a", "a", 2])
        queue.cancel(first)
        self.assertEqual([queue.peek(), len(queue)], ["b", 1])
        with self.assertRaises(IndexError):
            JobQueue().peek()

    def test_unknown_ids(self):
        queue = JobQueue()
        a = queue.add("a")
        queue.pop()
        for call in (lambda: queue.cancel(a), lambda: queue.cancel(99), lambda: queue.reprioritize(a, 1)):
            with self.assertRaises(KeyError):
                call()

    def test_none_is_a_payload(self):
        queue = JobQueue()
        queue.add(None)
        self.assertEqual([len(queue), queue.pop(), len(queue)], [1, None, 0])
