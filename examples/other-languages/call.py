"""Calls an actor from Python, with nothing but a NATS client and the .proto files.

    pip install nats-py cryptography protobuf grpcio-tools
    python -m grpc_tools.protoc -I protos -I examples/other-languages --python_out=GEN \
        envelope.proto errors.proto membership.proto calculator.proto
    PYTHONPATH=GEN python examples/other-languages/call.py .actors/cluster.json calculator 1 2 3.5

docs/guides/other-languages.md tells what travels.
"""

import asyncio
import base64
import json
import secrets
import sys

import nats
from calculator_pb2 import Numbers, Sum
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from envelope_pb2 import CALL, CANCEL, CREDIT, END, ERROR, ITEM, PROTO, Batch, Frame
from membership_pb2 import FAILED, RUNNING, STOPPED, ActorRecord

CREDIT_ITEMS = 64  # items of a stream that may be on the way to us
UNIT_BYTES = 16 << 10  # a larger item counts as several


class ActorError(Exception):
    def __init__(self, failure):
        super().__init__(f"[{failure.code}] {failure.message}")
        self.code = failure.code


class Client:
    """One endpoint of the cluster: its own inbox, and the calls that wait for an answer."""

    def __init__(self, nc, cluster, directory):
        self.nc, self.cluster, self.directory = nc, cluster, directory
        self.id = "c" + secrets.token_hex(8)
        self.last_call = 0
        self.waiting = {}  # call id -> frames that came for it

    @classmethod
    async def join(cls, cluster_file):
        with open(cluster_file) as file:
            at = json.load(file)
        seed = base64.b32decode(at["seed"] + "======")[2:34]  # between a mark and a checksum
        key = Ed25519PrivateKey.from_private_bytes(seed)
        nc = await nats.connect(
            at["url"],
            user_jwt_cb=lambda: bytearray(at["jwt"].encode()),
            signature_cb=lambda nonce: base64.b64encode(key.sign(nonce.encode())),
            inbox_prefix=b"_I.client",
        )
        bucket = await nc.jetstream().key_value("dir-" + at["cluster"])
        client = cls(nc, at["cluster"], bucket)
        await nc.subscribe(f"{client.cluster}.i.c.{client.id}.*.*", cb=client.receive)
        return client

    async def receive(self, message):
        for frame in Batch.FromString(message.data).frames:
            if frame.id in self.waiting:
                self.waiting[frame.id].put_nowait(frame)

    async def lookup(self, name):
        """The record of the live actor of that name, once it runs."""
        try:
            actor_id = (await self.directory.get("name." + name)).value.decode()
            record = ActorRecord.FromString((await self.directory.get("actor." + actor_id)).value)
        except nats.js.errors.KeyNotFoundError:
            raise LookupError(f"no actor is named {name}") from None
        if record.state in (STOPPED, FAILED):
            raise LookupError(f"{name} has ended")
        return record

    async def send(self, endpoint, frame):
        to = f"{self.cluster}.i.{endpoint[0]}.{endpoint}.c.{self.id}"
        await self.nc.publish(to, Batch(frames=[frame]).SerializeToString())

    async def call(self, name, method, request, timeout=5.0, credit=0):
        """Yields the payload of the answer, or those of a stream's items. `credit` above 0 asks for a stream."""
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout
        self.last_call = call_id = self.last_call + 1
        frames = self.waiting[call_id] = asyncio.Queue()
        ended, endpoint = False, ""
        try:
            while True:
                record = await self.lookup(name)
                if record.state == RUNNING:
                    endpoint = record.endpoint
                    frame = Frame(kind=CALL, id=call_id, actor=record.id, epoch=record.epoch, method=method)
                    frame.budget_ms, frame.credit = int((until - loop.time()) * 1000), credit
                    frame.codec, frame.payload = PROTO, request.SerializeToString()
                    await self.send(endpoint, frame)
                    answer = await asyncio.wait_for(frames.get(), until - loop.time())
                    if answer.kind != ERROR or answer.error.code != "NOT_HERE":
                        break
                if loop.time() > until:
                    raise TimeoutError(f"{name} did not run in time")
                await asyncio.sleep(0.05)  # it restarts, or moves: the directory soon says where to
            used = 0
            while answer.kind == ITEM:
                yield answer.payload
                used += max(1, -(-len(answer.payload) // UNIT_BYTES))
                if used >= credit // 2:
                    await self.send(endpoint, Frame(kind=CREDIT, id=call_id, credit=used))
                    used = 0
                answer = await asyncio.wait_for(frames.get(), until - loop.time())
            ended = True
            if answer.kind == ERROR:
                raise ActorError(answer.error)
            if answer.kind != END:
                yield answer.payload
        finally:
            del self.waiting[call_id]
            if not ended and endpoint:
                await self.send(endpoint, Frame(kind=CANCEL, id=call_id))


async def main(cluster_file, name, *values):
    client = await Client.join(cluster_file)
    try:
        numbers = Numbers(values=[float(value) for value in values])
        async for payload in client.call(name, "sum", numbers):
            print("sum", Sum.FromString(payload).value)
        sums = [Sum.FromString(each).value async for each in client.call(name, "sums", numbers, credit=CREDIT_ITEMS)]
        print(len(sums), "partial sums, the last is", sums[-1])
    finally:
        await client.nc.close()


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (ActorError, LookupError, asyncio.TimeoutError) as error:
        sys.exit(f"{error.__class__.__name__}: {error}")
