import assert from "node:assert/strict";
import { test } from "node:test";
import { renderObjects } from "./objects.js";

test("objects are listed with their owners and readers, and who did not answer", () => {
  const at = { createdAt: 1_000, use: "put" as const };
  const look = {
    objects: [
      {
        id: "o1",
        owner: "a1",
        ownedBy: "policy(a1)",
        bytes: 2.5e6,
        where: "memory" as const,
        node: "n1",
        pid: 7,
        readers: [
          { node: "n2", pid: 8 },
          { node: "", pid: 9 },
        ],
        ...at,
      },
      {
        id: "o2",
        owner: "e1",
        ownedBy: "client e1",
        bytes: 1e9,
        where: "disk" as const,
        node: "",
        pid: 9,
        readers: [],
        ...at,
      },
    ],
    silent: ["node n2"],
  };
  assert.equal(
    renderObjects(look, 3_500),
    `OBJECT  SIZE    WHERE   USE  AGE    OWNER                  READERS
o1      2.5 MB  memory  put  2.5 s  policy(a1) on n1/7     n2/8, client/9
o2      1 GB    disk    put  2.5 s  client e1 on client/9  -

2 objects, 2.5 MB in memory, 1 GB on disk

no answer from node n2: what they own is missing here
`,
  );
  assert.match(renderObjects({ objects: [], silent: [] }), /^no objects: what actors put/);
});
