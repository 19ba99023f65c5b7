import type { Op } from "../../sandbox/session.js";
import type { QuickstartTask } from "./task.js";

export const checkTimeoutMs = 5_000;

/**
 * The service's own check: loads its configuration as the service does, from the first file along the includes, and compares.
 * What the files hold is only ever data to it, and a ring of includes ends it.
 */
const program = `#!/bin/sh
# Reads ./expect: "from FILE", "need SETTING VALUE", "keep FILE SETTING VALUE".
while read -r what a b; do
  case $what in
    from) file=$a ;;
    need) setting=$a want=$b ;;
  esac
done < expect
hops=0
while [ $hops -lt 9 ]; do
  next= value=
  while read -r key word; do
    case $key in
      include) next=$word ;;
      "$setting") value=$word ;;
    esac
  done < "conf/$file"
  [ -n "$next" ] || break
  file=$next hops=$((hops + 1))
done
[ "$value" = "$want" ] || { echo fail; exit 1; }
while read -r what file setting value; do
  [ "$what" = keep ] || continue
  read -r key word < "conf/$file"
  [ "$key $word" = "$setting $value" ] || { echo fail; exit 1; }
done < expect
echo ok
`;

const text = new TextEncoder();
const file = (path: string, content: string) => ({ path, content: text.encode(content) });

function expectation(task: QuickstartTask): string {
  const keep = task.decoys.map((name) => `keep ${name} ${task.files[name]}`);
  return `from ${task.chain[0]}\nneed ${task.setting} ${task.want}\n${keep.join("")}`;
}

export function workspace(task: QuickstartTask): Op {
  const files = Object.entries(task.files).map(([name, content]) => file(`conf/${name}`, content));
  return { reset: { files: [...files, file("check", program), file("expect", expectation(task))] } };
}

/** Runs the check that lies in the workspace. */
export const runCheck: Op = { exec: { argv: ["/bin/sh", "check"], timeoutMs: checkTimeoutMs, maxOutput: 1_000 } };

/** The same with the program and what it expects put there anew: nothing the agent did to either counts. */
export function grade(task: QuickstartTask): Op[] {
  return [{ write: file("check", program) }, { write: file("expect", expectation(task)) }, runCheck];
}

export function writeConf(name: string, content: string): Op {
  return { write: file(`conf/${name}`, content) };
}
