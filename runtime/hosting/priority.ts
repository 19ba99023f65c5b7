import { setPriority } from "node:os";

/** Of what runs actors: nodes' own threads, which say that they live and pass messages on, go first. */
const workerNice = 5;
/** Of a thread that must never wait long, where this process may ask for it. */
const heartNice = -10;

/** Of a process and the threads that it starts from now on. @param pid 0: the calling thread */
export const yieldToNode = (pid = 0) => attempt(pid, workerNice);

/** Of the calling thread. */
export const goFirst = () => attempt(0, heartNice);

function attempt(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {} // it has ended, or this process may not
}
