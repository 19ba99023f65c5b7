"""Plays one Gymnasium environment for its parent: a JSON object a line on stdin, an answer a line on stdout."""

import json
import os
import sys
import traceback

# Whatever the environment prints goes to stderr: stdout is for answers alone.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def space(of):
    """What a policy can say or see of a space; unbounded is null."""
    kind = type(of).__name__
    if kind == "Discrete":
        return {"kind": "discrete", "n": int(of.n), "start": int(of.start)}
    if kind == "Box":
        import numpy as np

        def bounds(values):
            return [float(v) if np.isfinite(v) else None for v in np.ravel(values)]

        whole = bool(np.issubdtype(of.dtype, np.integer))
        return {"kind": "box", "low": bounds(of.low), "high": bounds(of.high), "whole": whole}
    if kind in ("MultiDiscrete", "MultiBinary"):
        import numpy as np

        shape = np.ravel(of.nvec if kind == "MultiDiscrete" else np.full(of.shape, 2))
        return {"kind": "box", "low": [0] * len(shape), "high": [int(n) - 1 for n in shape], "whole": True}
    return {"kind": kind}


def numbers(observation):
    import numpy as np

    return [v.item() for v in np.ravel(np.asarray(observation))]


class Player:
    def make(self, given):
        import gymnasium

        self.env = gymnasium.make(given["id"], **given["arguments"])
        spec = self.env.spec
        return {
            "action": space(self.env.action_space),
            "observation": space(self.env.observation_space),
            "turns": spec.max_episode_steps,
            "solved": spec.reward_threshold,
        }

    def reset(self, seed):
        observation, _ = self.env.reset(seed=seed)
        return {"observation": numbers(observation)}

    def step(self, action):
        import numpy as np

        of = self.env.action_space
        if type(of).__name__ == "Discrete":
            act = int(action[0])
        else:
            act = np.asarray(action, dtype=of.dtype).reshape(of.shape)
        observation, reward, terminated, truncated, _ = self.env.step(act)
        return {
            "observation": numbers(observation),
            "reward": float(reward),
            "terminated": bool(terminated),
            "truncated": bool(truncated),
        }


player = Player()
for line in sys.stdin:
    (ask, given), = json.loads(line).items()
    try:
        answer = getattr(player, ask)(given)
    except Exception as error:
        traceback.print_exc()
        answer = {"error": f"{type(error).__name__}: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
