import assert from "node:assert/strict";
import test from "node:test";
import { addDays } from "../src/days.js";
import { dayOf, dayRange } from "../src/zone.js";

const hours = ({ from, to }) => (Date.parse(to) - Date.parse(from)) / 3_600_000;

test("the local day", () => {
  assert.equal(dayOf("2024-05-06T16:00:00Z", "Asia/Tokyo"), "2024-05-07");
  assert.equal(dayOf("2024-05-06T03:00:00Z", "America/New_York"), "2024-05-05");
  assert.equal(dayOf("0999-12-31T12:00:00Z", "UTC"), "0999-12-31");
});

test("a range in the local zone", () => {
  assert.deepEqual(dayRange("2024-05-07", "Asia/Tokyo"), { from: "2024-05-06T15:00:00.000Z", to: "2024-05-07T15:00:00.000Z" });
  assert.equal(dayRange("2024-05-07", "Asia/Kolkata").from, "2024-05-06T18:30:00.000Z");
});

test("days with a clock change", () => {
  assert.equal(hours(dayRange("2024-03-31", "Europe/Berlin")), 23);
  assert.equal(hours(dayRange("2024-10-27", "Europe/Berlin")), 25);
  assert.equal(hours(dayRange("2024-03-10", "America/New_York")), 23);
  assert.equal(dayRange("2024-03-31", "Europe/Berlin").from, "2024-03-30T23:00:00.000Z");
  assert.equal(dayRange("2024-10-28", "Europe/Berlin").from, "2024-10-27T23:00:00.000Z");
});

test("a midnight that does not exist", () => {
  const range = dayRange("2018-11-04", "America/Sao_Paulo");
  assert.equal(range.from, "2018-11-04T03:00:00.000Z");
  assert.equal(hours(range), 23);
});

test("days are added over ends", () => {
  assert.equal(addDays("2024-02-28", 2), "2024-03-01");
  assert.equal(addDays("2023-12-31", 1), "2024-01-01");
  assert.equal(addDays("2024-03-01", -1), "2024-02-29");
  assert.equal(addDays("2024-03-30", 2), "2024-04-01");
});

test("nonsense is refused", () => {
  const bad = [
    () => dayOf("2024-05-06T00:00:00Z", "Mars/Base"),
    () => dayOf("nonsense", "UTC"),
    () => dayRange("2024-02-30", "UTC"),
    () => dayRange("2024-2-3", "UTC"),
    () => dayRange("today", "UTC"),
    () => addDays("2023-02-29", 1),
    () => addDays("2024-13-01", 1),
  ];
  for (const each of bad) assert.throws(each, RangeError, String(each));
});
