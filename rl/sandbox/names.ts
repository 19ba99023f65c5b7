export const backendNames = ["bubblewrap", "docker", "podman", "remote", "process"] as const;
export type BackendName = (typeof backendNames)[number];

/** What is done about an image that the engine has not: refuse, or pull it from its registry. */
export const pullPolicies = ["never", "missing"] as const;
export type PullPolicy = (typeof pullPolicies)[number];
