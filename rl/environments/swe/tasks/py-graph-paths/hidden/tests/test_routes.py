import unittest

from routes import cheapest


class RoutesTest(unittest.TestCase):
    def test_a_detour_can_be_cheaper(self):
        graph = {"a": {"b": 10, "c": 1}, "c": {"b": 1}, "b": {"d": 1}, "d": {}}
        self.assertEqual(cheapest(graph, "a", "b"), (2, ["a", "c", "b"]))
        self.assertEqual(cheapest(graph, "a", "d"), (3, ["a", "c", "b", "d"]))

    def test_to_itself(self):
        self.assertEqual(cheapest({"a": {"a": 5}}, "a", "a"), (0, ["a"]))

    def test_unreachable(self):
        self.assertIsNone(cheapest({"a": {}, "b": {"a": 1}}, "a", "b"))

    def test_leaves_without_an_entry(self):
        self.assertEqual(cheapest({"a": {"b": 1, "c": 5}}, "a", "c"), (5, ["a", "c"]))
        self.assertIsNone(cheapest({"a": {"b": 1}}, "b", "a"))

    def test_unknown_stops(self):
        for start, goal in [("x", "a"), ("a", "x"), ("x", "x")]:
            with self.subTest(start + goal), self.assertRaises(KeyError):
                cheapest({"a": {"b": 1}}, start, goal)

    def test_negative_costs(self):
        with self.assertRaises(ValueError):
            cheapest({"a": {"b": 1}, "b": {}, "c": {"a": -1}}, "a", "b")

    def test_fewest_stops_of_equal_cost(self):
        graph = {"a": {"b": 1, "z": 3}, "b": {"c": 1}, "c": {"z": 1}}
        self.assertEqual(cheapest(graph, "a", "z"), (3, ["a", "z"]))

    def test_fewest_stops_with_free_ways(self):
        graph = {"a": {"b": 0, "d": 2}, "b": {"c": 0}, "c": {"d": 2}, "d": {"e": 1}}
        self.assertEqual(cheapest(graph, "a", "e"), (3, ["a", "d", "e"]))

    def test_alphabetical_of_equal_length(self):
        graph = {"a": {"c": 1, "b": 2}, "b": {"z": 1}, "c": {"z": 2}}
        self.assertEqual(cheapest(graph, "a", "z"), (3, ["a", "b", "z"]))

    def test_cycles(self):
        graph = {"a": {"b": 1}, "b": {"a": 1, "c": 1}, "c": {"b": 1}}
        self.assertIsNone(cheapest({**graph, "d": {}}, "a", "d"))
        self.assertEqual(cheapest(graph, "c", "a"), (2, ["c", "b", "a"]))
