import unittest

from jobs import JobQueue


class QueueTest(unittest.TestCase):
    def test_by_priority(self):
        queue = JobQueue()
        queue.add("b", 2)
        queue.add("a", 1)
        self.assertEqual(len(queue), 2)
        self.assertEqual([queue.pop(), queue.pop()], ["a", "b"])
