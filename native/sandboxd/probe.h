#pragma once
// `sandboxd probe PORT SOCKET PID FILE MEMORY_MB PROCESSES DISK_MB`, run inside a sandbox: tries what must not work and
// prints a line for each guarantee, "NAME yes" or "NAME no REASON". PORT and the abstract SOCKET are open on the host,
// PID is the owner's, FILE a world-writable file on the host: reaching any of them disproves a guarantee.
int probe(int argc, char** argv);
