import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nkeys } from "nats";
import { natsSigner, newNatsKey } from "./nkeys.js";

const kinds = ["operator", "account", "user"] as const;
const makers = { operator: nkeys.createOperator, account: nkeys.createAccount, user: nkeys.createUser };

test("keys and signatures are those of NATS's own library", () => {
  for (const kind of kinds) {
    const ours = newNatsKey(kind);
    const theirs = nkeys.fromSeed(Buffer.from(ours.seed));
    assert.equal(theirs.getPublicKey(), ours.public);
    const made = makers[kind]();
    const signer = natsSigner(Buffer.from(made.getSeed()).toString());
    assert.equal(signer.public, made.getPublicKey());
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => nkeys.fromPublic(signer.public).verify(bytes, signer.sign(bytes))),
      { numRuns: 5 },
    );
  }
});

test("what is no seed is refused without being quoted", () => {
  const { seed, public: key } = newNatsKey("user");
  const swapped = `${seed.slice(0, 9)}${seed[9] === "A" ? "B" : "A"}${seed.slice(10)}`;
  for (const text of ["", key, swapped, seed.slice(0, -1), `${seed}A`, seed.toLowerCase()])
    assert.throws(
      () => natsSigner(text),
      (error: Error) => /not the seed/.test(error.message) && !error.message.includes(text || "-"),
    );
});
