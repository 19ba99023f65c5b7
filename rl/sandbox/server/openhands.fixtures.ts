// Requests as a client of OpenHands sends them, written by hand from its published sources:
// https://github.com/All-Hands-AI/OpenHands, openhands/runtime/impl/remote and openhands/events (0.3x to 0.5x). Fields that a server need
// not read are here as well.

export const start = (session_id: string) => ({
  image: "ghcr.io/all-hands-ai/runtime:oh_v0.40.0_abc",
  command: ["/openhands/micromamba/bin/micromamba", "run", "-n", "openhands", "poetry", "run", "python", "-u", "-m"],
  working_dir: "/openhands/code/",
  environment: { DEBUG: "true", GREETING: "it's me" },
  session_id,
  resource_factor: 1,
});

const event = { source: "agent", id: 7, timestamp: "2025-05-01T12:00:00.000000", message: "" };

export const run = (command: string, args: object = {}, timeout = 120) => ({
  action: {
    ...event,
    action: "run",
    args: {
      ...{ command, is_input: false, thought: "", blocking: false, is_static: false, cwd: null, hidden: false },
      ...{ confirmation_state: "confirmed", security_risk: null, ...args },
    },
    timeout,
  },
});

export const read = (path: string, args: object = {}) => ({
  action: {
    ...event,
    action: "read",
    args: { path, start: 0, end: -1, thought: "", impl_source: "default", view_range: null, ...args },
    timeout: 120,
  },
});

export const write = (path: string, content: string, args: object = {}) => ({
  action: { ...event, action: "write", args: { path, content, start: 0, end: -1, thought: "", ...args }, timeout: 120 },
});

export const edit = (path: string, command: string, args: object = {}) => ({
  action: {
    ...event,
    action: "edit",
    args: {
      ...{ path, command, file_text: null, old_str: null, new_str: null, insert_line: null, content: "" },
      ...{ start: 1, end: -1, thought: "", impl_source: "oh_aci", ...args },
    },
    timeout: 120,
  },
});

export const ipython = {
  action: { ...event, action: "run_ipython", args: { code: "1 + 1", thought: "" }, timeout: 120 },
};
