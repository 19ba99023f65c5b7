// Workspaces as layers in memory, for sandboxes that share what did not change.
//
// `sandboxd hold` makes a user and a mount namespace, and in it a sized tmpfs for each layer; with the last process in it all
// layers end. It answers each line on stdin with "ok" or the reason:
//   layer N MB          a new, empty layer
//   mount PID N [M ...] gives the sandbox whose init is PID layer N, over layers M ..., topmost first
//   drop N              frees a layer once nothing is mounted on it
// `sandboxd enter PID PROGRAM ARGUMENT...` runs a program in the namespaces of the holder PID; a layer is /tmp/N/up there.
#pragma once

int hold();
int enter(int argc, char** argv);
