from . import varint


def encode(records):
    body = b""
    for id, text in records:
        body += varint.write(id) + varint.write(len(text)) + text.encode()
    checksum = 0
    for byte in body[1:]:
        checksum ^= byte
    return body + bytes([checksum])


def decode(data):
    records = []
    at = 0
    while at < len(data) - 1:
        id, at = varint.read(data, at)
        length, at = varint.read(data, at)
        records.append((id, data[at : at + length].decode()))
        at += length
    return records
