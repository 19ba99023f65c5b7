// package.json and package-lock.json, as far as bundles need them.

export const manifestName = "package.json";
export const lockName = "package-lock.json";
/** Our own package: a node gives its own, so that there is one runtime in a process. */
export const runtimeName = "actors";

type Versions = Record<string, string>;

export interface Manifest {
  name?: string;
  dependencies?: Versions;
  devDependencies?: Versions;
  optionalDependencies?: Versions;
  peerDependencies?: Versions;
  /** Of a job: whether its packages' install scripts run. */
  actors?: { installScripts?: boolean };
}

export interface LockFile {
  packages?: Record<string, Manifest & { link?: boolean; resolved?: string }>;
  dependencies?: Record<string, unknown>;
}

const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

/** The packages that a node has to install. */
export function installsOf({ dependencies, optionalDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => name !== runtimeName);
}

export function withoutRuntime<M extends Manifest>(manifest: M): M {
  const copy = { ...manifest };
  for (const kind of kinds) {
    const { [runtimeName]: _, ...rest } = copy[kind] ?? {};
    if (copy[kind]) copy[kind] = rest;
  }
  return copy;
}

/** The same in the lock file: the package, what is nested in it, and the folder that it may be a link to. */
export function lockWithoutRuntime(lock: LockFile): LockFile {
  const at = `node_modules/${runtimeName}`;
  const entry = lock.packages?.[at];
  const gone = entry?.link && entry.resolved ? [at, entry.resolved] : [at];
  const kept = Object.entries(lock.packages ?? {}).filter(
    ([path]) => !gone.some((each) => path === each || path.startsWith(`${each}/`)),
  );
  const { [runtimeName]: _, ...dependencies } = lock.dependencies ?? {};
  return {
    ...lock,
    packages: Object.fromEntries(kept.map(([path, each]) => [path, path === "" ? withoutRuntime(each) : each])),
    ...(lock.dependencies && { dependencies }),
  };
}
